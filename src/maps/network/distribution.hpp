#pragma once
#include <cstddef>
#include <span>
#include <vector>

#include "maps/network/architecture.hpp"

namespace macmi::maps {

/// The distribution of the target that the surrogate predicts for one sample. Predictions are means and log variances
/// (normal), a logit (bernoulli), or a logit per class (categorical). Targets are numbers, 0 or 1, or a class number.
class Distribution {
 public:
  Distribution(Family family, std::size_t predictions) : family_(family), known_(predictions) {}
  void set(std::span<const float> prediction);

  /// log q(y). Adds `weight` times its gradient with respect to the prediction to `gradient`, unless that is null.
  double log_likelihood(std::span<const float> target, double weight = 0, float* gradient = nullptr) const;

  /// The Jeffreys divergence ½ D(p‖q) + ½ D(q‖p).
  static double jeffreys(const Distribution& p, const Distribution& q);
  /// Adds `weight` times its gradients with respect to both predictions.
  static void add_jeffreys_gradient(const Distribution& p, const Distribution& q, double weight, float* p_gradient,
                                    float* q_gradient);

 private:
  std::size_t width() const { return prediction_.size() / 2; }
  double log_variance(std::size_t d) const;
  bool clamped(std::size_t d) const;
  void add_jeffreys_side(const Distribution& other, double weight, float* gradient) const;

  Family family_;
  std::span<const float> prediction_;
  std::vector<double> known_;  ///< precisions (normal) or probabilities
};

/// Predictions that say the same of every sample: the best constant for these targets, [samples][width].
std::vector<float> marginal_prediction(const Architecture& architecture, std::span<const float> targets);

/// Numbers that the target of one sample takes.
std::size_t target_numbers(const Architecture& architecture);

}  // namespace macmi::maps
