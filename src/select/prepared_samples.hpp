#pragma once
#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "macmi/dataset.hpp"
#include "macmi/variable.hpp"
#include "maps/surrogate_scores.hpp"

namespace macmi::select {

/// A feature ready for tests. Columns are views of the data set, of `scaled`, or of packed bytes.
struct PreparedFeature {
  std::vector<std::vector<double>> scaled;
  Variable variable;
  std::string content;         ///< 16 hexadecimal digits
  std::vector<bool> complete;  ///< by sample; empty: all are
  bool constant = false;
};

/// All that tests of a data set need to know of it.
struct PreparedSamples {
  std::size_t samples = 0;
  std::vector<std::string> names;
  std::vector<PreparedFeature> features;
  PreparedFeature target;
  bool mapped = false;                            ///< the features are learned maps
  std::vector<std::int32_t> folds;                ///< one number per sample, or none
  std::vector<std::int32_t> units;                ///< Dataset::unit_numbers
  bool one_series = false;                        ///< Dataset::one_series
  std::shared_ptr<const SurrogateScores> scores;  ///< of folded maps, where tests ask the surrogate too

  /// The units of some samples; none where there are no units.
  std::vector<std::int32_t> units_on(const std::vector<std::size_t>& rows) const;
};

/// The data set must outlive it. `equal_scales`: bring every feature to the same scale, so that no member of a
/// conditioning set drowns in another of larger units when the test scales the set as one block.
PreparedSamples prepare_samples(const Dataset& data, bool equal_scales, std::vector<std::int32_t> folds);

/// As bytes that another process can use in place, where they begin at a multiple of 8.
std::string pack(const PreparedSamples& prepared);
/// The bytes must outlive it: the columns are views of them.
PreparedSamples unpack(std::string_view packed);

/// False where all samples that have a value have the same.
bool varies(const Variable& v);

}  // namespace macmi::select
