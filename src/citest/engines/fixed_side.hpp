#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "citest/engines/statistic.hpp"

namespace macmi::citest {

/// The columns that do not depend on permutations, laid out for vector loads: padded beyond n.
struct FixedSide {
  static constexpr std::size_t block = 64;  ///< samples with one bounding box
  explicit FixedSide(const StatisticProblem& problem);

  std::size_t n = 0;
  std::vector<std::vector<std::int32_t>> y, z;
  std::vector<std::int32_t> y_category, z_category;  ///< empty without
  /// Bounding boxes of the blocks in the columns that the samples are ordered by (z, or y without z).
  bool boxes_of_z = false;
  std::vector<std::int32_t> box_low, box_high;
  std::vector<std::int32_t> category_low, category_high;  ///< of z_category per block; empty without
  std::vector<std::uint32_t> cell_size;                   ///< samples with the same categories in y and z
};

}  // namespace macmi::citest
