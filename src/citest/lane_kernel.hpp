#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/aligned.hpp"
#include "citest/statistic.hpp"

namespace macmi {

/// Permutations evaluated at once: lane l of every vector belongs to permutation l of the batch.
inline constexpr std::size_t batch_lanes = 64;

/// What does not depend on permutations, laid out for vector loads: rows are padded beyond n by one block.
struct FixedSide {
  static constexpr std::size_t block = 64;  ///< samples with one bounding box
  std::size_t n = 0;
  std::vector<std::vector<std::int32_t>> y, z;
  std::vector<std::int32_t> y_category, z_category;  ///< empty without
  /// Bounding boxes of the blocks in the columns that the samples are ordered by (z, or y without z).
  bool boxes_of_z = false;
  std::vector<std::int32_t> box_low, box_high;
  std::vector<std::int32_t> category_low, category_high;  ///< of z_category per block; empty without
};

/// One chunk of permuted samples: [batch][sample][column][lane].
struct PermutedSide {
  std::size_t columns = 0, batches = 0;
  AlignedVector<std::int32_t> rows;
  AlignedVector<std::int32_t> category;   ///< [batch][sample][lane]; empty without categories
  std::vector<std::uint32_t> cell_size; ///< samples with the same categories in x, y and z; as category
  /// Without z and with one column of numbers, the values that x takes never change: n_x by looking them up.
  std::vector<std::int32_t> sorted_x;
  std::vector<std::uint32_t> first_in_bucket;  ///< of sorted_x by value >> bucket_shift
  int bucket_shift = 0;
};

/// Where the radii of one sample lay for the permutations seen first. Only speed depends on it.
struct Window {
  std::int32_t low = -1;             ///< -1: not known yet
  std::vector<std::int32_t> high;    ///< for each k
};

struct LaneTask {
  const StatisticProblem* problem = nullptr;
  const FixedSide* fixed = nullptr;
  const PermutedSide* permuted = nullptr;
  const std::vector<std::uint32_t>* fixed_cell_size = nullptr;  ///< samples with the same categories in y and z
  std::vector<Window>* windows = nullptr;
};

/// Adds the terms of samples begin … end-1 to sums[(batch * 64 + lane) * ks + q].
void add_lane_terms(const LaneTask& task, std::size_t begin, std::size_t end, StatisticSum* sums);

}  // namespace macmi
