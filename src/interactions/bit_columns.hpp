#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "interactions/pair_scan.hpp"

namespace macmi::interactions {

/// Columns that lie side by side, one in each 64-bit lane.
inline constexpr std::size_t columns_together = 8;

/// Columns as bit sets, the samples ordered by their class of the target. Every class begins at a word of its own.
struct BitColumns {
  static constexpr std::size_t classes = most_levels;
  static constexpr std::size_t planes = most_levels - 1;  ///< of the levels 1 to 3; level 0 is the rest

  BitColumns(const QuantisedSamples& samples, std::span<const std::uint8_t> target, const LogTable& table);

  std::size_t columns, groups;          ///< groups of columns_together; the last one is filled up with empty columns
  std::size_t first_word[classes + 1];  ///< of each class
  std::int32_t class_size[classes] = {};
  std::vector<std::uint64_t> bits;   ///< [group][plane][word][column of the group]
  std::vector<std::int32_t> counts;  ///< [class][level][column]: samples
  std::vector<std::uint8_t> level_counts;
  /// The share each column takes from the sums of its pairs, and what all pairs add: see plain_pair().
  std::vector<std::int32_t> alone_quarters, alone_halves;
  std::int32_t of_target_quarters = 0, of_target_halves = 0;

  std::size_t words() const { return first_word[classes]; }
  std::size_t padded() const { return groups * columns_together; }
  const std::uint64_t* words_of(std::size_t group, std::size_t plane) const {
    return bits.data() + (group * planes + plane) * words() * columns_together;
  }
  std::int32_t* counts_of(std::size_t c, std::size_t level) {
    return counts.data() + (c * most_levels + level) * padded();
  }
  const std::int32_t* counts_of(std::size_t c, std::size_t level) const {
    return counts.data() + (c * most_levels + level) * padded();
  }
};

/// Sums of one column with the eight of a group.
struct GroupSums {
  std::int32_t quarters[columns_together], halves[columns_together];
};

/// Fills `sums` for column `a` and the columns of `group`.
void sum_group(const BitColumns& columns, const LogTable& table, std::size_t a, std::size_t group, GroupSums& sums);

}  // namespace macmi::interactions
