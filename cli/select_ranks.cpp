#include "select_ranks.hpp"

#include <fmt/format.h>

#include "base/parallel.hpp"
#include "cluster/rank_training.hpp"
#include "team.hpp"

namespace macmi::cli {

void serve_selection(Ranks& ranks, const SelectOptions& options) {
  const MakeRankTest make_test = [&](const SamplesNotice& notice, std::string_view samples,
                                     const std::function<bool()>& cancelled) {
    return make_packed_test(samples, {notice.mapped != 0, notice.categorical_target != 0, notice.folded != 0}, options,
                            cancelled);
  };
  serve_team(ranks, {.make_test = make_test, .work = train_on_rank});
}

std::unique_ptr<TargetCiTest> spread_test(Coordinator& team, const TargetCiTest& test, PackedFrom from,
                                          std::uint64_t number) {
  team.share({0, from.maps, from.categorical_target, from.folded, number}, pack_samples(test));
  return team.spread(test);
}

SelectOptions on_team(SelectOptions options, const Coordinator& team) {
  options.stability.threads = thread_count(options.test.threads);
  options.test.threads = team.working_ranks();
  return options;
}

std::string pace_text(const Effort& before, const Effort& now, double seconds) {
  if (!(seconds > 0) || now.tests == before.tests) return {};
  const double pace = static_cast<double>(now.tests - before.tests) / seconds;
  return fmt::format("{:.{}f} per second on {} ranks", pace, pace < 10 ? 1 : 0, now.working_ranks);
}

}  // namespace macmi::cli
