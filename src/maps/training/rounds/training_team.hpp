#pragma once
#include <functional>
#include <string>
#include <string_view>

#include "maps/training/rounds/training_task.hpp"

namespace macmi::maps {

/// How far a training has come.
struct TrainingNews {
  std::int64_t epoch = 0;
  double objective = 0, validation = 0;
  std::string state;  ///< the bytes of its state, now and then; mostly empty
};

}  // namespace macmi::maps

namespace macmi {

/// Processes, on this machine and on others, that take the trainings of a job.
class TrainingTeam {
 public:
  virtual ~TrainingTeam() = default;
  virtual std::size_t size() const = 0;  ///< trainings at a time
  /// The job that the next trainings belong to (bytes_of). The bytes stay until the next call.
  virtual void begin(std::string_view job) = 0;
  /// Makes a training from the state that it was left in (empty: from its beginning) and gives the state it ends with,
  /// as bytes. Called from several threads; `on_news` is called from others.
  virtual std::string train(const maps::TrainingTask& task, const std::string& state,
                            const std::function<void(maps::TrainingNews)>& on_news) = 0;
};

}  // namespace macmi

namespace macmi::maps {

/// One training, in this process. `keep_going` is asked all the time. `on_news` hears of every epoch, and every few
/// seconds gets the state, too.
std::string run_training(std::string_view job_bytes, const TrainingTask& task, const std::string& state,
                         const std::function<void(TrainingNews)>& on_news, const std::function<bool()>& keep_going);

}  // namespace macmi::maps
