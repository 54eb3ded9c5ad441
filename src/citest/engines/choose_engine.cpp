#include "citest/engines/choose_engine.hpp"

#include <set>

namespace macmi::citest {
namespace {

/// Up to so many labels, a walk for each of them with a permutation per bit is faster than one with a byte per label:
/// 1.5 to 1.8 times with three labels over 1,000 permutations, the same over 128. With four it is 1.2 times as fast
/// over 1,000 and .8 times over 128, as many as a test draws that finds nothing.
constexpr std::size_t few_labels = 3;

bool has_few_labels(const std::vector<std::int32_t>& category) {
  std::set<std::int32_t> seen;
  for (const std::int32_t c : category)
    if (seen.insert(c); seen.size() > few_labels) return false;
  return true;
}

}  // namespace

std::unique_ptr<StatisticEngine> make_engine(const StatisticProblem& problem, std::size_t threads) {
  if (problem.only_categories()) return make_table_engine(problem, threads);
  if (grid_engine_fits(problem)) return make_grid_engine(problem, threads);
  if (label_engine_fits(problem))
    return has_few_labels(problem.sample.x.category) ? make_label_engine(problem, threads)
                                                     : make_label_lane_engine(problem, threads);
  if (slice_engine_fits(problem)) return make_slice_engine(problem, threads);
  return make_lane_engine(problem, threads);
}

}  // namespace macmi::citest
