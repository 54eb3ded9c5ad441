#pragma once
#include <functional>
#include <map>
#include <mutex>
#include <string>
#include <vector>

#include "macmi/maps.hpp"
#include "maps/training/rounds/training_states.hpp"
#include "maps/training/tournament.hpp"

namespace macmi::maps {

/// Makes the trainings of a round, side by side, while the caller's thread tells of them and asks whether to go on.
class TrainingRound {
 public:
  TrainingRound(const TrainingJob& job, const TrainingPlace& place);
  TrainingStates& states() { return states_; }

  /// Makes every task, or finds it made. Throws Cancelled.
  void train(const std::vector<TrainingTask>& tasks);
  /// Calls body(0) … body(count − 1) on the place's threads.
  void side_by_side(std::size_t count, const std::function<void(std::size_t)>& body);

 private:
  void train_here(const TrainingTask& task, std::size_t threads, const std::function<bool()>& keep_going);
  void train_elsewhere(const TrainingTask& task);
  void hear(const TrainingTask& task, std::int64_t epoch, double objective, double validation);

  const TrainingJob& job_;
  const TrainingPlace& place_;
  std::string job_bytes_;  ///< only where files or other processes need them
  TrainingStates states_;
  std::mutex mutex_;
  std::map<std::size_t, std::int64_t> furthest_;  ///< epoch of each model
  MapsProgress progress_;
};

}  // namespace macmi::maps
