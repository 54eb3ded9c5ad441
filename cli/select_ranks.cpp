#include "select_ranks.hpp"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>

#include "base/parallel.hpp"
#include "cluster/worker.hpp"

namespace macmi::cli {
namespace {

std::atomic<bool> asked_to_end = false;

void on_signal(int) {
  asked_to_end = true;
}

}  // namespace

void serve_selection(Ranks& ranks, const SelectOptions& options) {
  std::signal(SIGTERM, on_signal);
  std::signal(SIGINT, on_signal);
  const MakeRankTest make_test = [&](const SamplesNotice& notice, std::string_view samples,
                                     const std::function<bool()>& cancelled) {
    return make_packed_test(samples, {notice.mapped != 0, notice.categorical_target != 0}, options, cancelled);
  };
  try {
    serve_tests(ranks, make_test, [] { return asked_to_end.load(); });
  } catch (const RankLost&) {  // nobody is left to tell, and no way to end in order
    std::_Exit(1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "macmi: {} failed: {}\n", ranks.name(ranks.rank()), error.what());
    ranks.abandon(1);
  }
}

std::unique_ptr<TargetCiTest> spread_test(Coordinator& team, const TargetCiTest& test, PackedFrom from) {
  team.share({0, from.maps, from.categorical_target}, pack_samples(test));
  return team.spread(test, [&test](const CiResult& earlier) { return decide_from(test, earlier); });
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

std::string end_of_ranks_text(const Ranks& ranks) {
  for (int rank = 1; rank < ranks.size(); ++rank)
    if (ranks.gone(rank)) return fmt::format("{} has died, and the others end", ranks.name(rank));
  return "ended by the launcher (Ctrl-C, a time limit, a rank that died elsewhere or fell silent)";
}

}  // namespace macmi::cli
