#pragma once
#include <map>
#include <mutex>
#include <optional>
#include <string>

#include "maps/training/rounds/training_state.hpp"
#include "maps/training/rounds/training_task.hpp"

namespace macmi::maps {

/// The states that the trainings of one job have come to: in memory, and in files of a folder where one is named, so
/// that a tournament that was ended at any moment goes on from there, to the same bits. For several threads.
class TrainingStates {
 public:
  /// `folder` may be empty. States of other jobs found in it are not used.
  TrainingStates(std::string folder, std::string fingerprint, std::size_t parameters);

  /// The state that the task was left in or, where it has not begun, that of the round before.
  std::optional<TrainingState> before(const TrainingTask& task);
  /// The state of a task that was made.
  const TrainingState& after(const TrainingTask& task);
  void keep(const TrainingTask& task, TrainingState state);
  bool in_files() const { return !folder_.empty(); }
  const std::string& fingerprint() const { return fingerprint_; }

 private:
  std::optional<TrainingState> find(const std::string& name);

  std::string folder_, fingerprint_;
  std::size_t parameters_;
  std::mutex mutex_;
  std::map<std::string, TrainingState> known_;
};

}  // namespace macmi::maps
