#pragma once
#include <span>
#include <vector>

#include "maps/network/objective.hpp"

namespace macmi::maps {

/// The networks and the objective of Algorithm 2 as the paper prints them: one sample, one mask and one feature at a
/// time, in double precision, nothing shared. This is the definition that the fast version (objective.hpp) is tested
/// against, and where to read what is trained.
class PlainNetwork {
 public:
  /// The parameters of a whole model, block after block (parameter_blocks).
  PlainNetwork(const Architecture& architecture, std::span<const double> parameters);

  /// F(V): the maps of one sample side by side.
  std::vector<double> maps(const NetworkSamples& samples, std::size_t sample) const;
  /// The prediction q_θ(· | F_W, W) of the target from the maps of the kept features.
  std::vector<double> predict(std::span<const double> maps, std::span<const std::uint32_t> kept) const;
  double log_likelihood(std::span<const double> prediction, std::span<const float> target) const;
  /// ½ D(p‖q) + ½ D(q‖p).
  double jeffreys(std::span<const double> p, std::span<const double> q) const;

 private:
  std::vector<double> dense(std::span<const double> in, std::size_t block, std::size_t feature, double factor) const;
  std::vector<double> activated(std::vector<double> values) const;
  std::vector<double> perceptron(std::span<const double> in, std::size_t block, std::size_t feature,
                                 double factor) const;
  std::vector<double> gru(std::span<const double> series, std::span<const std::uint8_t> present, const MapShape& shape,
                          std::size_t block, std::size_t feature, double factor) const;

  const Architecture& a_;
  std::vector<ParameterBlock> blocks_;
  std::vector<std::span<const double>> values_;
};

/// Equation 9 on a batch.
ObjectiveValue plain_objective(const Architecture& architecture, std::span<const double> parameters,
                               const NetworkSamples& samples, const TrainingBatch& batch, double lambda);

}  // namespace macmi::maps
