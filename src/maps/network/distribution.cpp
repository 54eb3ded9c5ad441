#include "maps/network/distribution.hpp"

#include <algorithm>
#include <cmath>

#include "base/vector/elementary.hpp"

namespace macmi::maps {
namespace {

constexpr double least_log_variance = -8, most_log_variance = 6;
constexpr double log_two_pi = 1.8378770664093453;

double sigmoid(double z) {
  const double e = base::exact_exp(-std::fabs(z));
  return (z >= 0 ? 1 : e) / (1 + e);
}

/// log σ(z).
double log_sigmoid(double z) {
  return std::min(z, 0.0) - base::exact_log(1 + base::exact_exp(-std::fabs(z)));
}

double largest(std::span<const float> logits) {
  return *std::max_element(logits.begin(), logits.end());
}

void add(float* to, double value) {
  *to += static_cast<float>(value);
}

}  // namespace

double Distribution::log_variance(std::size_t d) const {
  // The order of the arguments keeps NaN, so that a diverged training shows.
  return std::max(std::min(static_cast<double>(prediction_[width() + d]), most_log_variance), least_log_variance);
}

bool Distribution::clamped(std::size_t d) const {
  const double v = prediction_[width() + d];
  return v < least_log_variance || v > most_log_variance;
}

void Distribution::set(std::span<const float> prediction) {
  prediction_ = prediction;
  switch (family_) {
    case Family::normal:
      for (std::size_t d = 0; d < width(); ++d) known_[d] = base::exact_exp(-log_variance(d));
      break;
    case Family::bernoulli:
      known_[0] = sigmoid(prediction[0]);
      break;
    case Family::categorical: {
      const double top = largest(prediction);
      double sum = 0;
      for (std::size_t c = 0; c < prediction.size(); ++c) sum += known_[c] = base::exact_exp(prediction[c] - top);
      for (double& p : known_) p /= sum;
      break;
    }
  }
}

double Distribution::log_likelihood(std::span<const float> target, double weight, float* gradient) const {
  if (family_ == Family::bernoulli) {
    if (gradient) add(gradient, weight * (target[0] - known_[0]));
    return log_sigmoid(target[0] > 0.5F ? prediction_[0] : -prediction_[0]);
  }
  if (family_ == Family::categorical) {
    const auto own = static_cast<std::size_t>(target[0]);
    for (std::size_t c = 0; gradient && c < known_.size(); ++c)
      add(gradient + c, weight * ((c == own ? 1 : 0) - known_[c]));
    const double top = largest(prediction_);
    double sum = 0;
    for (const float logit : prediction_) sum += base::exact_exp(logit - top);
    return prediction_[own] - top - base::exact_log(sum);
  }
  double sum = 0;
  for (std::size_t d = 0; d < width(); ++d) {
    const double residual = static_cast<double>(target[d]) - prediction_[d], precision = known_[d];
    const double squares = residual * residual * precision;
    sum -= 0.5 * (log_variance(d) + squares + log_two_pi);
    if (!gradient) continue;
    add(gradient + d, weight * residual * precision);
    if (!clamped(d)) add(gradient + width() + d, weight * 0.5 * (squares - 1));
  }
  return sum;
}

double Distribution::jeffreys(const Distribution& p, const Distribution& q) {
  double sum = 0;
  switch (p.family_) {
    case Family::normal:
      // ¼ (e^−v₁ + e^−v₂)(μ₁ − μ₂)² + ½ cosh(v₁ − v₂) − ½, and e^(v₁ − v₂) is the ratio of the precisions.
      for (std::size_t d = 0; d < p.width(); ++d) {
        const double a = p.known_[d], b = q.known_[d], gap = static_cast<double>(p.prediction_[d]) - q.prediction_[d];
        sum += 0.25 * (a + b) * gap * gap + 0.25 * (a / b + b / a) - 0.5;
      }
      return sum;
    case Family::bernoulli:
      return 0.5 * (p.known_[0] - q.known_[0]) * (static_cast<double>(p.prediction_[0]) - q.prediction_[0]);
    case Family::categorical:  // the logarithms of the normalising sums cancel, as Σ (p_c − q_c) = 0
      for (std::size_t c = 0; c < p.known_.size(); ++c)
        sum += 0.5 * (p.known_[c] - q.known_[c]) * (static_cast<double>(p.prediction_[c]) - q.prediction_[c]);
      return sum;
  }
  return sum;
}

/// The derivative with respect to this side's prediction; the divergence is symmetric.
void Distribution::add_jeffreys_side(const Distribution& other, double weight, float* gradient) const {
  if (family_ == Family::normal) {
    for (std::size_t d = 0; d < width(); ++d) {
      const double a = known_[d], b = other.known_[d], gap = static_cast<double>(prediction_[d]) - other.prediction_[d];
      add(gradient + d, weight * 0.5 * (a + b) * gap);
      if (!clamped(d)) add(gradient + width() + d, weight * 0.25 * (b / a - a / b - a * gap * gap));
    }
    return;
  }
  if (family_ == Family::bernoulli) {
    const double p = known_[0], gap = static_cast<double>(prediction_[0]) - other.prediction_[0];
    return add(gradient, weight * 0.5 * (p * (1 - p) * gap + p - other.known_[0]));
  }
  double mean_gap = 0;
  for (std::size_t c = 0; c < known_.size(); ++c)
    mean_gap += known_[c] * (static_cast<double>(prediction_[c]) - other.prediction_[c]);
  for (std::size_t c = 0; c < known_.size(); ++c) {
    const double gap = static_cast<double>(prediction_[c]) - other.prediction_[c];
    add(gradient + c, weight * 0.5 * (known_[c] * (gap - mean_gap) + known_[c] - other.known_[c]));
  }
}

void Distribution::add_jeffreys_gradient(const Distribution& p, const Distribution& q, double weight, float* p_gradient,
                                         float* q_gradient) {
  p.add_jeffreys_side(q, weight, p_gradient);
  q.add_jeffreys_side(p, weight, q_gradient);
}

std::size_t target_numbers(const Architecture& a) {
  return a.family == Family::normal ? a.target_width : 1;
}

std::vector<float> marginal_prediction(const Architecture& a, std::span<const float> targets) {
  const std::size_t width = target_numbers(a), n = targets.size() / width;
  const auto count = static_cast<double>(n);
  std::vector<float> prediction(a.predictions());
  if (a.family == Family::normal) {
    for (std::size_t d = 0; d < width; ++d) {
      double sum = 0, squares = 0;
      for (std::size_t i = 0; i < n; ++i) sum += targets[i * width + d];
      const double mean = sum / count;
      for (std::size_t i = 0; i < n; ++i) squares += (targets[i * width + d] - mean) * (targets[i * width + d] - mean);
      prediction[d] = static_cast<float>(mean);
      prediction[width + d] = static_cast<float>(base::exact_log(std::max(squares / count, 1e-12)));
    }
    return prediction;
  }
  // Add one half to every count: a class that these samples lack keeps a finite logarithm.
  std::vector<double> counts(a.family == Family::bernoulli ? 2 : a.target_width, 0.5);
  for (const float target : targets) counts[static_cast<std::size_t>(target)] += 1;
  if (a.family == Family::bernoulli)
    prediction[0] = static_cast<float>(base::exact_log(counts[1] / counts[0]));
  else
    for (std::size_t c = 0; c < counts.size(); ++c) prediction[c] = static_cast<float>(base::exact_log(counts[c]));
  return prediction;
}

}  // namespace macmi::maps
