#pragma once
#include "citest/engines/sorted_values.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {

/// Shared by all permutations of one column x against one column y.
struct GridTask {
  const StatisticProblem* problem = nullptr;
  SortedValues x, y;
  std::vector<std::uint32_t> y_order;  ///< samples by y
  std::vector<std::uint32_t> x_rank;   ///< of each sample
  std::vector<std::uint32_t> centres;  ///< y-ranks of the samples whose terms are summed, in increasing order
};

/// The statistics of some lanes, each of which must rearrange the samples.
void evaluate_on_grid(const GridTask& task, std::span<const std::uint32_t> sources, std::span<StatisticSum> sums);

}  // namespace macmi::citest
