#include "team.hpp"

#include <fmt/format.h>

#include <atomic>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <utility>

#include "cluster/rank_training.hpp"

namespace macmi::cli {
namespace {

std::atomic<bool> asked_to_end = false;

void on_signal(int) {
  asked_to_end = true;
}

/// Why work on ranks ended early: the rank that died, or the launcher's signal.
std::string end_of_ranks_text(const cluster::Ranks& ranks) {
  for (int rank = 1; rank < ranks.size(); ++rank)
    if (ranks.gone(rank)) return fmt::format("{} has died, and the others end", ranks.name(rank));
  return "ended by the launcher (Ctrl-C, a time limit, a rank that died elsewhere or fell silent)";
}

}  // namespace

Team::Team(cluster::Ranks* ranks, LastWords last_words) : ranks_(ranks), last_words_(std::move(last_words)) {
  interrupt_ = std::make_unique<Interrupt>([this] { say_last_words(); },
                                           ranks ? InterruptedBy::launcher : InterruptedBy::keyboard);
  if (!ranks) return;
  coordinator_ = std::make_unique<cluster::Coordinator>(*ranks, Interrupt::requested, Interrupt::request);
  training_ = cluster::make_training_team(*coordinator_);
}

void Team::run(const std::function<void()>& work) {
  try {
    work();
  } catch (const Cancelled&) {
    give_up(130);
    throw;
  } catch (const cluster::RankLost&) {
    give_up(1);
    throw;
  }
}

void Team::say_last_words() {
  std::call_once(said_, [this] { last_words_(ranks_ ? end_of_ranks_text(*ranks_) : "interrupted"); });
}

void Team::give_up(int exit_code) {
  say_last_words();
  coordinator_.reset();
  if (ranks_) ranks_->abandon(exit_code);
}

void serve_team(cluster::Ranks& ranks, const cluster::RankDuties& duties) {
  std::signal(SIGTERM, on_signal);
  std::signal(SIGINT, on_signal);
  try {
    cluster::serve(ranks, duties, [] { return asked_to_end.load(); });
  } catch (const cluster::RankLost&) {  // nobody is left to tell, and no way to end in order
    std::_Exit(1);
  } catch (const std::exception& error) {
    fmt::print(stderr, "macmi: {} failed: {}\n", ranks.name(ranks.rank()), error.what());
    ranks.abandon(1);
  }
}

std::function<void(cluster::Ranks&)> lead_or_serve(std::function<void(cluster::Ranks&)> lead,
                                                   std::function<void(cluster::Ranks&)> serve) {
  return [lead = std::move(lead), serve = std::move(serve)](cluster::Ranks& ranks) {
    (ranks.rank() == 0 ? lead : serve)(ranks);
  };
}

}  // namespace macmi::cli
