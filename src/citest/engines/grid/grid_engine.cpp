#include <algorithm>
#include <utility>

#include "base/parallel.hpp"
#include "citest/engines/grid/class_sweep.hpp"
#include "citest/engines/grid/grid_kernel.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {
namespace {

bool rearranges(std::span<const std::uint32_t> source) {
  std::vector<bool> taken(source.size());
  for (const std::uint32_t s : source) {
    if (taken[s]) return false;
    taken[s] = true;
  }
  return true;
}

/// Lanes are shared among the threads; each lane is evaluated by one.
template <class Task, void (*evaluate_lanes)(const Task&, std::span<const std::uint32_t>, std::span<StatisticSum>)>
class RankEngine final : public StatisticEngine {
 public:
  RankEngine(Task task, std::size_t threads)
      : task_(std::move(task)), threads_(threads), other_(make_plain_engine(*task_.problem)) {}

  void evaluate(std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) override {
    const std::size_t n = task_.problem->sample.n, scales = task_.problem->ks.size(), lanes = sources.size() / n;
    std::fill(sums.begin(), sums.end(), StatisticSum{});
    const std::size_t grain = std::max<std::size_t>(1, lanes / (4 * base::thread_count(threads_)));
    base::parallel_for(lanes, grain, threads_, [&](std::size_t begin, std::size_t end) {
      const auto mine = sources.subspan(begin * n, (end - begin) * n);
      const auto results = sums.subspan(begin * scales, (end - begin) * scales);
      bool all = true;
      for (std::size_t lane = begin; lane < end; ++lane) all = all && rearranges(sources.subspan(lane * n, n));
      if (all)
        evaluate_lanes(task_, mine, results);
      else
        other_->evaluate(mine, results);
    });
  }

 private:
  Task task_;
  std::size_t threads_;
  std::unique_ptr<StatisticEngine> other_;
};

}  // namespace

bool grid_engine_fits(const StatisticProblem& problem) {
  const LatticeBlock &x = problem.sample.x, &y = problem.sample.y, &z = problem.sample.z;
  if (problem.conditioned || !z.columns.empty() || !z.category.empty()) return false;
  if (problem.sample.n == 0 || x.columns.size() != 1 || !x.category.empty()) return false;
  return y.category.empty() ? y.columns.size() == 1 : y.columns.empty() && problem.centres.empty();
}

std::unique_ptr<StatisticEngine> make_grid_engine(const StatisticProblem& problem, std::size_t threads) {
  const LatticeSample& sample = problem.sample;
  if (!sample.y.category.empty())
    return std::make_unique<RankEngine<ClassTask, evaluate_by_class>>(ClassTask(problem), threads);
  GridTask task{&problem,
                SortedValues(sample.x.columns[0]),
                SortedValues(sample.y.columns[0]),
                ranking(sample.y.columns[0]),
                inverse(ranking(sample.x.columns[0])),
                {}};
  const std::vector<std::uint32_t> y_rank = inverse(task.y_order);
  for (std::size_t c = 0; c < problem.centre_count(); ++c) task.centres.push_back(y_rank[problem.centre(c)]);
  std::sort(task.centres.begin(), task.centres.end());
  return std::make_unique<RankEngine<GridTask, evaluate_on_grid>>(std::move(task), threads);
}

}  // namespace macmi::citest
