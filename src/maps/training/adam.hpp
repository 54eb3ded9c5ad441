#pragma once
#include <cstdint>
#include <span>
#include <vector>

namespace macmi::maps {

/// Moments of the gradient (Kingma & Ba 2015).
struct AdamMoments {
  std::vector<float> first, second;
  explicit AdamMoments(std::size_t parameters = 0) : first(parameters), second(parameters) {}
};

/// One step uphill with decoupled weight decay (Loshchilov & Hutter 2019): the decay does not pass through the moments.
/// `step` counts from 0.
void adam_ascend(std::span<float> parameters, std::span<const float> gradient, AdamMoments& moments, std::int64_t step,
                 double rate, double decay);

/// The rate after `share` of a training, from `first` to `last` along half a cosine.
double cosine_rate(double first, double last, double share);

}  // namespace macmi::maps
