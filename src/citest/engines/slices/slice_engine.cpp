#include <algorithm>

#include "citest/engines/engine_sums.hpp"
#include "citest/engines/slices/slice_kernel.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {
namespace {

class SliceEngine final : public StatisticEngine {
 public:
  SliceEngine(const StatisticProblem& problem, std::size_t threads, std::size_t least_lanes)
      : problem_(problem),
        threads_(threads),
        least_lanes_(least_lanes),
        fixed_(problem),
        reach_(problem.sample.n * problem.ks.size()),
        small_cells_(has_small_cells()) {}

  void evaluate(std::span<const std::uint32_t> sources, std::span<StatisticSum> sums) override {
    const bool enough = sources.size() / fixed_.n >= least_lanes_ && !small_cells_;
    const std::optional<Choices> choices = enough ? find_choices(sources, fixed_.n, threads_) : std::nullopt;
    if (!choices) {
      if (!lanes_) lanes_ = make_lane_engine(problem_, threads_);
      return lanes_->evaluate(sources, sums);
    }
    const std::vector<std::int32_t> x = x_of(*choices);
    const SliceTask task{&problem_, &fixed_, &*choices, sources, x, reach_};
    sum_in_parallel(
        problem_.centre_count(), 64, threads_, sums, 0,
        [&](std::size_t begin, std::size_t end, StatisticSum* mine) { add_slice_terms(task, begin, end, mine); });
  }

 private:
  /// Where categories leave a centre fewer neighbours than k, its radius lies outside every window, and permutations
  /// would be taken one by one. Lanes know such cells.
  bool has_small_cells() const {
    std::size_t small = 0;
    for (std::size_t c = 0; c < problem_.centre_count(); ++c)
      small += fixed_.cell_size[problem_.centre(c)] <= problem_.ks.back();
    return 100 * small > problem_.centre_count();
  }

  std::vector<std::int32_t> x_of(const Choices& choices) const {
    const auto& columns = problem_.sample.x.columns;
    std::vector<std::int32_t> x(columns.size() * choices.most * fixed_.n, SliceTask::far);
    for (std::size_t d = 0; d < columns.size(); ++d)
      for (std::size_t j = 0; j < fixed_.n; ++j)
        for (std::uint32_t c = choices.first[j]; c < choices.first[j + 1]; ++c)
          x[(d * choices.most + c - choices.first[j]) * fixed_.n + j] = problem_.x_at(d, j, choices.source[c]);
    return x;
  }

  const StatisticProblem& problem_;
  std::size_t threads_, least_lanes_;
  FixedSide fixed_;
  std::vector<std::int32_t> reach_;
  bool small_cells_;
  std::unique_ptr<StatisticEngine> lanes_;
};

}  // namespace

bool slice_engine_fits(const StatisticProblem& problem) {
  const LatticeBlock& x = problem.sample.x;
  return problem.conditioned && !problem.closed && !x.columns.empty() && x.category.empty();
}

std::unique_ptr<StatisticEngine> make_slice_engine(const StatisticProblem& problem, std::size_t threads,
                                                   std::size_t least_lanes) {
  return std::make_unique<SliceEngine>(problem, threads, least_lanes);
}

}  // namespace macmi::citest
