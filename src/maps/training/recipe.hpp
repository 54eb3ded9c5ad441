#pragma once
#include <cstddef>
#include <cstdint>

#include "base/files/array_file.hpp"
#include "maps/training/masks.hpp"

namespace macmi::maps {

/// The weights that a training ends with: those of the epoch with the highest validation likelihood in the second half
/// of the schedule, or those of the last epoch.
enum class KeptWeights { best_validated, last };

/// How a model is trained (docs/maps.md tells why). Adam with a cosine schedule and decoupled weight decay.
struct Recipe {
  std::size_t epochs = 75;
  std::size_t batch = 256;
  double learning_rate = 1e-2;
  double last_rate = 1e-5;
  double weight_decay = 0.3;
  double lambda = 0.1;  ///< weight of the information-efficiency regulariser
  MaskRule masks = MaskRule::half_singles;
  std::size_t most_kept = 4;  ///< maps that a mask keeps at most
  bool cover = false;         ///< masks that keep each map once for every sample, in place of one mask
  std::size_t restarts = 4;   ///< initialisations to choose from, by validation likelihood
  KeptWeights keep = KeptWeights::best_validated;
  double first_penalty = 0;  ///< of the l1 norm of feature scales (Architecture::scaled), growing geometrically over
  double last_penalty = 0;   ///< the training after a first fifth without any
  std::uint64_t seed = 0;
};

void put(base::ArrayFileWriter& file, const Recipe& recipe);
Recipe get_recipe(const base::ArrayFile& file);

}  // namespace macmi::maps
