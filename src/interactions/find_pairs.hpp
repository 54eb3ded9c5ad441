#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "interactions/quantised.hpp"
#include "macmi/blanket.hpp"

namespace macmi::interactions {

struct PairSearch {
  double level = 0.01;  ///< the chance of naming any pair in a table without interactions
  std::uint64_t seed = 0;
  std::size_t threads = 0;
  /// Told how much of the work is done, 0 to 1; one call at a time; false ends it with Cancelled.
  std::function<bool(double done)> go_on = {};
};

/// Pairs of features that tell more of the target together than both tell alone, the least likely by chance first.
///
/// Every pair of columns is looked at in four levels and in halves (PairSums). 2 n times the information is nearly χ²
/// where there is no interaction, which puts pairs of columns with different numbers of levels on one scale, the
/// surprise -ln P. How large surprises get among so many pairs is learned from the same scan under permuted targets,
/// which keeps what the columns have in common: their largest few hundred give the rate and the mean excess of an
/// exponential tail, never lighter than that of χ². A pair is named where fewer than level / 2 as surprising ones are
/// expected in a whole scan; two looks make the level.
///
/// Cost: scans of all pairs, five of them where there are many pairs, up to 65 where there are few.
std::vector<FeaturePair> find_pairs(const QuantisedSamples& samples, const std::vector<std::string>& names,
                                    const PairSearch& search);

/// Pairs of columns of different features.
std::size_t pair_count(const QuantisedSamples& samples);

/// Scans under permuted targets for this many pairs.
std::size_t permuted_scans(std::size_t pairs);

}  // namespace macmi::interactions
