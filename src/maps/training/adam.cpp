#include "maps/training/adam.hpp"

#include <cmath>

#include "base/vector/elementary.hpp"

namespace macmi::maps {
namespace {

constexpr double beta1 = 0.9, beta2 = 0.999, tiny = 1e-8;

/// 1 − βᵗ.
double bias_correction(double beta, double t) {
  return 1 - base::exact_exp(t * base::exact_log(beta));
}

}  // namespace

void adam_ascend(std::span<float> parameters, std::span<const float> gradient, AdamMoments& moments, std::int64_t step,
                 double rate, double decay) {
  const auto t = static_cast<double>(step + 1);
  const auto keep1 = static_cast<float>(beta1), add1 = static_cast<float>(1 - beta1);
  const auto keep2 = static_cast<float>(beta2), add2 = static_cast<float>(1 - beta2);
  const auto shrink = static_cast<float>(1 - rate * decay),
             length = static_cast<float>(rate / bias_correction(beta1, t));
  const auto scale = static_cast<float>(1 / std::sqrt(bias_correction(beta2, t))), least = static_cast<float>(tiny);
  const std::size_t count = parameters.size();
  float *p = parameters.data(), *m = moments.first.data(), *v = moments.second.data();
  const float* g = gradient.data();
  for (std::size_t i = 0; i < count; ++i) {
    m[i] = m[i] * keep1 + g[i] * add1;
    v[i] = v[i] * keep2 + g[i] * g[i] * add2;
    p[i] = p[i] * shrink + length * (m[i] / (std::sqrt(v[i]) * scale + least));
  }
}

double cosine_rate(double first, double last, double share) {
  return last + 0.5 * (first - last) * (1 + base::exact_cos(3.14159265358979323846 * share));
}

}  // namespace macmi::maps
