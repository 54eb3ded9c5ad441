#pragma once
#include <cstdint>

#include "base/random.hpp"
#include "maps/torch.hpp"

namespace macmi {

/// MINE (Belghazi et al. 2018): I(X;Y) ≥ E[T(x,y)] − log E[exp T(x,y')], y' from another sample (Donsker & Varadhan),
/// maximised over a perceptron T. The gradient of the logarithm on a batch is biased; its denominator is replaced by a
/// moving average over batches (section 3.2 of the paper). A fifth of the samples is held out and tells which of the
/// parameters on the way to keep; the value returned is the bound on all samples, five shuffles for the second mean.
struct MineRecipe {
  std::int64_t width = 64, steps = 3000, batch = 500;
  double learning_rate = 5e-3, average_rate = 0.01;
};
double mine_bound(const at::Tensor& x, const at::Tensor& y, const MineRecipe& recipe, const StreamKey& key);

}  // namespace macmi
