#pragma once
#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "macmi/dataset.hpp"

namespace macmi::interactions {

inline constexpr std::size_t most_levels = 4;

/// A column in at most four levels of about the same size, 0 to 3. Levels 2 and 3 are its upper half; where there are
/// fewer than four, level 0 is taken first, then 2.
using Levels = std::vector<std::uint8_t>;

/// Samples as the scan over pairs sees them.
struct QuantisedSamples {
  std::vector<Levels> columns;
  std::vector<std::size_t> feature;  ///< that each column belongs to
  Levels target;

  std::size_t samples() const { return target.size(); }
};

/// Numbers by quartiles, cut between different values: first near the median, then near the middle of both halves.
/// Labels: each goes to the lightest of four groups, the most frequent label first. A missing value takes the level of
/// a random sample that has one, which hides a dependence in proportion but makes none. The draw is keyed by `seed` and
/// the levels.
Levels quantised(const DataColumn& column, std::uint64_t seed);

/// Columns of single numbers and labels, and each column of a block. Series, whose information is in their course, and
/// constant columns are left out, and so is everything where the target is no single column.
QuantisedSamples quantise(const Dataset& data, std::uint64_t seed);

/// The number of levels that occur.
std::size_t level_count(std::span<const std::uint8_t> levels);

}  // namespace macmi::interactions
