#pragma once
#include "citest/engines/sorted_values.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {

/// Shared by all permutations of one column x against categories y.
struct ClassTask {
  explicit ClassTask(const StatisticProblem& statistic);
  const StatisticProblem* problem;
  SortedValues x;
  std::vector<std::uint32_t> x_rank;   ///< of each sample
  std::vector<std::uint32_t> y_class;  ///< 0, 1, … of each sample
  std::vector<std::uint32_t> first;    ///< where each class begins when samples are sorted by class; n at the end
};

/// The statistics of some lanes, each of which must rearrange the samples. O(n) a lane and k.
void evaluate_by_class(const ClassTask& task, std::span<const std::uint32_t> sources, std::span<StatisticSum> sums);

}  // namespace macmi::citest
