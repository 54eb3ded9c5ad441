#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/vector/aligned.hpp"
#include "citest/engines/fixed_side.hpp"
#include "citest/engines/labels/label_kernel.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {

/// Permutations evaluated at once.
inline constexpr std::size_t label_batch = 64;

/// Samples that share a label, permutation by permutation, for labels that few samples have.
struct RareLabels {
  std::vector<std::uint32_t> number;  ///< of each label among the rare ones; `common` for the others
  std::size_t count = 0;
  static constexpr std::uint32_t common = ~std::uint32_t{0};

  /// Of one permutation: the samples of rare label r are sample[first[r]] … sample[first[r + 1] - 1].
  struct Members {
    std::vector<std::uint32_t> sample, first;
  };
};

/// One chunk of permuted labels. T, int8_t, int16_t or int32_t, holds a label.
template <class T>
struct LabelLaneTask {
  const StatisticProblem* problem = nullptr;
  const FixedSide* fixed = nullptr;
  const Places* places = nullptr;
  std::size_t lanes = 0, batches = 0;
  const base::AlignedVector<T>* labels = nullptr;  ///< [batch][sample][lane]
  const RareLabels* rare = nullptr;
  const std::vector<RareLabels::Members>* members = nullptr;  ///< [lane]; none where no label is rare
  const std::vector<std::uint32_t>* total = nullptr;          ///< without z: [lane][label], how many have it
  std::size_t label_count = 0;
  std::span<std::int32_t> reach;  ///< [place]: the radius that sufficed last time, -1 at first
};

/// Adds the terms of the centres at places begin … end-1 to sums[lane * ks + q].
void add_label_lane_terms(const LabelLaneTask<std::int8_t>& task, std::size_t begin, std::size_t end,
                          StatisticSum* sums);
void add_label_lane_terms(const LabelLaneTask<std::int16_t>& task, std::size_t begin, std::size_t end,
                          StatisticSum* sums);
void add_label_lane_terms(const LabelLaneTask<std::int32_t>& task, std::size_t begin, std::size_t end,
                          StatisticSum* sums);

}  // namespace macmi::citest
