#pragma once
#include <atomic>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/vector/aligned.hpp"
#include "citest/engines/fixed_side.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {

/// Permutations evaluated at once: lane l of every vector belongs to permutation l of the batch.
inline constexpr std::size_t batch_lanes = 64;

/// One chunk of permuted samples: [batch][sample][column][lane]. T, the lanes' type, is int16_t or int32_t.
template <class T>
struct PermutedSide {
  std::size_t columns = 0, batches = 0;
  base::AlignedVector<T> rows;
  base::AlignedVector<T> category;               ///< [batch][sample][lane]; empty without categories
  base::AlignedVector<std::uint32_t> cell_size;  ///< samples with the same categories in x, y and z; as category
  /// Without z and with one column of numbers, the values that x takes never change: n_x by looking them up.
  std::vector<std::int32_t> sorted_x;
  std::vector<std::uint32_t> first_in_bucket;  ///< of sorted_x by value >> bucket_shift
  int bucket_shift = 0;
};

/// Where the radius of one sample lies for one k, learned from the first permutations. It depends mostly on the x that
/// the sample gets, so up to 8 slots of x have their own lower end. Only speed depends on it.
template <class T>
struct LaneWindow {
  static constexpr std::size_t slots = 8;
  T upper[slots - 1];  ///< x (first column) above upper[s] belongs to slot s + 1 or higher
  T low[slots];
  T width = 0;
  std::int32_t high = -1;  ///< the largest radius covered; -1: nothing learned yet
};

template <class T>
struct LaneTask {
  const StatisticProblem* problem = nullptr;
  const FixedSide* fixed = nullptr;
  const PermutedSide<T>* permuted = nullptr;
  std::vector<LaneWindow<T>>* windows = nullptr;  ///< [centre][k]
  /// The lists of near samples, kept from batch to batch while there is room (bytes); built anew beyond.
  std::vector<base::AlignedVector<std::uint32_t>>* stored = nullptr;
  std::atomic<std::int64_t>* room = nullptr;
};

/// Adds the terms of centres begin … end-1 to sums[(batch * 64 + lane) * ks + q].
void add_lane_terms(const LaneTask<std::int16_t>& task, std::size_t begin, std::size_t end, StatisticSum* sums);
void add_lane_terms(const LaneTask<std::int32_t>& task, std::size_t begin, std::size_t end, StatisticSum* sums);

}  // namespace macmi::citest
