#pragma once
#include <functional>
#include <memory>
#include <mutex>
#include <string>

#include "cluster/coordinator.hpp"
#include "cluster/ranks.hpp"
#include "cluster/worker.hpp"
#include "interrupt.hpp"
#include "maps/training/rounds/training_team.hpp"

namespace macmi::cli {

/// Rank 0 of a command on several ranks, or a process that is alone: work that can be interrupted, and an end in order
/// when it was or when a rank is lost.
class Team {
 public:
  /// Hears why the work ended early; called once, from any thread. To keep what is finished and to tell how to go on.
  using LastWords = std::function<void(const std::string& why)>;
  /// `ranks`: nothing means alone. One at a time.
  Team(cluster::Ranks* ranks, LastWords last_words);

  cluster::Coordinator* coordinator() { return coordinator_.get(); }  ///< nothing: alone
  TrainingTeam* training() { return training_.get(); }                ///< nothing: alone
  /// Passes on what `work` throws; after Cancelled and RankLost all ranks end, this one included.
  void run(const std::function<void()>& work);

 private:
  void say_last_words();
  void give_up(int exit_code);

  cluster::Ranks* ranks_;
  LastWords last_words_;
  std::once_flag said_;
  std::unique_ptr<Interrupt> interrupt_;
  std::unique_ptr<cluster::Coordinator> coordinator_;
  std::unique_ptr<TrainingTeam> training_;
};

/// Any other rank: does what it is asked to, until the end.
void serve_team(cluster::Ranks& ranks, const cluster::RankDuties& duties);

/// A verb's run_on_ranks: rank 0 leads, every other rank serves it.
std::function<void(cluster::Ranks&)> lead_or_serve(std::function<void(cluster::Ranks&)> lead,
                                                   std::function<void(cluster::Ranks&)> serve);

}  // namespace macmi::cli
