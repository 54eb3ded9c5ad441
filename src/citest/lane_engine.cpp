#include "citest/statistic.hpp"
namespace macmi {
std::unique_ptr<StatisticEngine> make_lane_engine(const StatisticProblem& problem, std::size_t threads) {
  return make_tree_engine(problem, as_joint_sample(problem.sample), threads);
}
}
