#include "select_ranks.hpp"

#include <fmt/format.h>

#include "cluster/rank_training.hpp"
#include "select/selection_test.hpp"
#include "team.hpp"

namespace macmi::cli {

void serve_selection(cluster::Ranks& ranks, const SelectOptions& options) {
  const cluster::MakeRankTest make_test = [&](const cluster::SamplesNotice&, std::string_view samples,
                                              const std::function<bool()>& cancelled) {
    return select::make_packed_test(samples, options, cancelled);
  };
  serve_team(ranks, {.make_test = make_test, .work = cluster::train_on_rank});
}

std::unique_ptr<TargetCiTest> spread_test(cluster::Coordinator& team, const SelectionTest& test, std::uint64_t number) {
  team.share({.number = number}, test.packed());
  return team.spread(test);
}

TestTeam test_team(cluster::Coordinator& team) {
  const cluster::Effort before = team.effort();
  return {.size = team.working_ranks(),
          .spread = [&team](const SelectionTest& test) { return spread_test(team, test); },
          .account =
              [&team, before](SelectionTiming& timing) {
                const cluster::Effort effort = team.effort();
                timing.ranks = effort.working_ranks;
                timing.tests_of_rank = effort.of_rank;
                timing.efficiency =
                    (effort.seconds - before.seconds) / (timing.seconds * static_cast<double>(effort.working_ranks));
              }};
}

std::string pace_text(const cluster::Effort& before, const cluster::Effort& now, double seconds) {
  if (!(seconds > 0) || now.tests == before.tests) return {};
  const double pace = static_cast<double>(now.tests - before.tests) / seconds;
  return fmt::format("{:.{}f} per second on {} ranks", pace, pace < 10 ? 1 : 0, now.working_ranks);
}

}  // namespace macmi::cli
