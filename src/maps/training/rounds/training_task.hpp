#pragma once
#include <cstddef>
#include <cstdint>
#include <string>

namespace macmi::maps {

/// One training of a job's tournament: an initialisation of a model, as far as a round goes.
struct TrainingTask {
  std::size_t model = 0;
  int attempt = 0;
  double rate_factor = 1, decay_factor = 1;  ///< of this attempt
  std::size_t candidate = 0;
  int round = 0;
  std::int64_t until = 0;  ///< epochs done in the end

  /// The name of the state that the training leaves. Every round has its own: what it decided stays readable when a
  /// later round was interrupted.
  std::string state_name() const { return state_name_of(round); }
  std::string state_name_of(int earlier_round) const;

  bool operator==(const TrainingTask&) const = default;
};

/// One line, for other processes; numbers keep their bits.
std::string text_of(const TrainingTask& task);
/// Throws Error.
TrainingTask training_task_of(const std::string& text);

}  // namespace macmi::maps
