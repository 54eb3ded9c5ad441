#include "maps/training/rounds/training_states.hpp"

#include <filesystem>

#include "base/files/mapped_file.hpp"
#include "base/files/whole_file.hpp"
#include "macmi/error.hpp"

namespace macmi::maps {

TrainingStates::TrainingStates(std::string folder, std::string fingerprint, std::size_t parameters)
    : folder_(std::move(folder)), fingerprint_(std::move(fingerprint)), parameters_(parameters) {
  if (in_files()) std::filesystem::create_directories(folder_);
}

std::optional<TrainingState> TrainingStates::find(const std::string& name) {
  {
    const std::lock_guard lock(mutex_);
    if (const auto found = known_.find(name); found != known_.end()) return found->second;
  }
  const std::string path = folder_ + "/" + name;
  if (!in_files() || !std::filesystem::exists(path)) return std::nullopt;
  try {
    const base::MappedFile file(path);
    return parse_training_state(file.bytes(), path, fingerprint_, parameters_);
  } catch (const InputError&) {
    return std::nullopt;  // a damaged checkpoint costs time, not the result
  }
}

std::optional<TrainingState> TrainingStates::before(const TrainingTask& task) {
  if (std::optional<TrainingState> own = find(task.state_name())) return own;
  return task.round > 0 ? find(task.state_name_of(task.round - 1)) : std::nullopt;
}

const TrainingState& TrainingStates::after(const TrainingTask& task) {
  const std::lock_guard lock(mutex_);
  return known_.at(task.state_name());
}

void TrainingStates::keep(const TrainingTask& task, TrainingState state) {
  if (in_files()) base::write_whole_file(folder_ + "/" + task.state_name(), bytes_of(state, fingerprint_));
  const std::lock_guard lock(mutex_);
  known_.insert_or_assign(task.state_name(), std::move(state));
}

}  // namespace macmi::maps
