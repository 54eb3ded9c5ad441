#pragma once
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "learn/array_file.hpp"
#include "learn/training_task.hpp"

namespace macmi {

/// One order from the program that runs us: "train", "map" or "gains" (src/learn/job.hpp tells what is in the file).
/// Results go into files of `folder`. `say` hands a line of progress to the other side.
struct JobContext {
  std::string folder;
  std::size_t processes = 1;
  std::function<void(const std::string& line)> say;
  /// Trainings of one round, made by other processes; their files are in the folder afterwards. Nothing: forked here.
  std::function<void(const std::vector<TrainingTask>& tasks)> train_elsewhere = {};
  std::optional<TrainingTask> only = {};  ///< this training of the job and nothing else
};
void run_job(const ArrayFile& job, const JobContext& context);

}  // namespace macmi
