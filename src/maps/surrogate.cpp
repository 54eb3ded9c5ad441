#include "maps/surrogate.hpp"

#include <cmath>

namespace macmi {
namespace {

constexpr double least_log_variance = -8, most_log_variance = 6;

struct Normal {
  at::Tensor mean, log_variance;
};

Normal as_normal(const at::Tensor& prediction) {
  const auto width = prediction.size(1) / 2;
  return {prediction.narrow(1, 0, width),
          prediction.narrow(1, width, width).clamp(least_log_variance, most_log_variance)};
}

}  // namespace

at::Tensor log_likelihood(Family family, const at::Tensor& prediction, const at::Tensor& target) {
  if (family == Family::normal) {
    const Normal q = as_normal(prediction);
    const at::Tensor residual = target - q.mean;
    return -0.5 * (q.log_variance + residual * residual * at::exp(-q.log_variance) + std::log(2 * M_PI)).sum(1);
  }
  if (family == Family::bernoulli)  // log σ(±logit)
    return at::log_sigmoid(prediction * (2 * target - 1)).sum(1);
  return at::log_softmax(prediction, 1).gather(1, target).squeeze(1);
}

at::Tensor jeffreys(Family family, const at::Tensor& p, const at::Tensor& q) {
  if (family == Family::normal) {
    const Normal a = as_normal(p), b = as_normal(q);
    const at::Tensor gap = a.mean - b.mean, ratio = a.log_variance - b.log_variance;
    return (0.25 * (at::exp(-a.log_variance) + at::exp(-b.log_variance)) * gap * gap + 0.5 * at::cosh(ratio) - 0.5)
        .sum(1);
  }
  if (family == Family::bernoulli) return (0.5 * (at::sigmoid(p) - at::sigmoid(q)) * (p - q)).sum(1);
  return 0.5 * ((at::softmax(p, 1) - at::softmax(q, 1)) * (at::log_softmax(p, 1) - at::log_softmax(q, 1))).sum(1);
}

at::Tensor marginal_prediction(Family family, std::size_t classes, const at::Tensor& target) {
  if (family == Family::normal) {
    const at::Tensor mean = target.mean(0, true), variance = (target - mean).pow(2).mean(0, true);
    return at::cat({mean, variance.clamp_min(1e-12).log()}, 1);
  }
  // Add one half to every count: a class that these samples lack keeps a finite logarithm.
  if (family == Family::bernoulli) {
    const at::Tensor ones = target.sum(0, true) + 0.5;
    return at::log(ones / (static_cast<double>(target.size(0)) + 1 - ones));
  }
  return at::log(at::bincount(target.flatten(), {}, static_cast<std::int64_t>(classes)).to(at::kFloat) + 0.5)
      .unsqueeze(0);
}

}  // namespace macmi
