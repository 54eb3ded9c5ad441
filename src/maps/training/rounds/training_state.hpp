#pragma once
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "maps/training/adam.hpp"

namespace macmi::maps {

/// A training between two epochs: all that the rest of it depends on. Random numbers are keyed by the epoch, so a
/// training that was stopped and goes on from its state ends with the same bits.
struct TrainingState {
  std::vector<float> parameters;
  AdamMoments moments;
  std::vector<float> kept_parameters;  ///< what the training would end with if it ended here (Recipe::keep)
  std::int64_t epoch = 0;              ///< epochs done
  double objective = 0;                ///< mean of the last epoch
  double validation = 0;  ///< mean log likelihood of the validation samples, after the last epoch that looked
  double kept_validation = 0;
  std::int64_t kept_epoch = 0;
  std::vector<double> looked_after, trained, validated;  ///< epochs that looked, with what they saw: the training curve
  bool diverged = false;
};

/// The state as bytes, for files and other processes, with the name of the job it belongs to.
std::string bytes_of(const TrainingState& state, const std::string& fingerprint);
/// Throws InputError where the bytes are damaged, of another job or of a network of another size.
TrainingState parse_training_state(std::string_view bytes, const std::string& name, const std::string& fingerprint,
                                   std::size_t parameters);

}  // namespace macmi::maps
