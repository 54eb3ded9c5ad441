#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace macmi {

/// One training of a job's tournament: an initialisation of a model, as far as a round goes. All that it needs beside
/// the job are the files `needs`; it leaves the files `gives`.
struct TrainingTask {
  std::size_t model = 0;
  int attempt = 0;
  double rate_factor = 1, decay_factor = 1;  ///< of this attempt
  std::size_t candidate = 0;
  int round = 0;
  std::int64_t until = 0;  ///< epochs done in the end
  bool last = false;       ///< the round that ends with a result

  /// Every round has its own file: what it decided stays readable when a later round was interrupted.
  std::string state_file() const { return state_file_of(round); }
  std::string state_file_of(int earlier_round) const;
  std::string result_file() const;
  /// Where they are there: the state this training was left in, the state of the round before.
  std::vector<std::string> needs() const;
  /// A training that diverged leaves no result.
  std::vector<std::string> gives() const;

  bool operator==(const TrainingTask&) const = default;
};

/// One line, for the other program; numbers keep their bits.
std::string text_of(const TrainingTask& task);
/// Throws Error.
TrainingTask training_task_of(const std::string& text);

}  // namespace macmi
