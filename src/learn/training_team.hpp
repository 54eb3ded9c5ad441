#pragma once
#include <functional>
#include <string>

#include "learn/training_task.hpp"

namespace macmi {

/// Processes, on this machine and on others, that take the trainings of a job.
class TrainingTeam {
 public:
  virtual ~TrainingTeam() = default;
  virtual std::size_t size() const = 0;  ///< trainings at a time
  /// The file of the job that the next trainings belong to.
  virtual void begin(const std::string& job) = 0;
  /// Makes a training; called from several threads. The files that it needs are in `folder`, and in the end those that
  /// it gives. `on_line` hears its progress, from another thread.
  virtual void train(const TrainingTask& task, const std::string& folder,
                     const std::function<void(const std::string& line)>& on_line) = 0;
};

/// Runs the tournament of the job "train" as run_worker does, with its trainings made by the team.
void run_worker_with(TrainingTeam& team, const std::string& job, const std::string& folder,
                     const std::function<void(const std::string& line)>& on_line,
                     const std::function<bool()>& keep_going);

}  // namespace macmi
