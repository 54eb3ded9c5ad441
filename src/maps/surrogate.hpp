#pragma once
#include "learn/architecture.hpp"
#include "maps/torch.hpp"

namespace macmi {

/// log q(y) of each sample [batch] under the surrogate's predictions [batch, predictions]. The target is [batch, width]
/// (normal), [batch, 1] of 0 and 1 (bernoulli) or [batch, 1] of class numbers as int64 (categorical).
at::Tensor log_likelihood(Family family, const at::Tensor& prediction, const at::Tensor& target);

/// The Jeffreys divergence ½D(p‖q) + ½D(q‖p) of two predicted distributions, for each sample [batch].
at::Tensor jeffreys(Family family, const at::Tensor& p, const at::Tensor& q);

/// Predictions that say the same of every sample: the best constant for this target. [1, predictions]
at::Tensor marginal_prediction(Family family, std::size_t classes, const at::Tensor& target);

}  // namespace macmi
