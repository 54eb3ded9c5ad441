#pragma once
#include "maps/trainer.hpp"

namespace macmi {

/// The maps of some samples [rows, map columns], contiguous.
at::Tensor map_samples(const Network& network, const at::Tensor& parameters, const TrainingData& data,
                       const at::Tensor& rows);

/// The surrogate's predictions from all maps of each sample: [rows, predictions].
at::Tensor predict_samples(const Network& network, const at::Tensor& parameters, const TrainingData& data,
                           const at::Tensor& rows);

/// How much each feature's map says to the surrogate: the mean Jeffreys divergence between its predictions before and
/// after the feature is swapped with another sample's, over random masks that keep it [features]. About twice the
/// information of the map for weak Normal dependence; identity features included.
std::vector<double> divergence_of_features(const Network& network, const at::Tensor& parameters,
                                           const TrainingData& data, const at::Tensor& rows, const Recipe& recipe);

/// Mean over samples of log q(y | features of `with`) − log q(y | features of `without`), and its standard error.
/// Samples that lack a value in one of the features do not count. An empty mask stands for the marginal prediction.
struct Gain {
  double mean = 0, error = 0;
  std::int64_t samples = 0;
};
struct GainQuery {
  std::vector<std::uint8_t> with, without;  ///< masks over the features
};
/// Gains of many queries. `predict_from` gives the maps once: [rows, columns].
Gain likelihood_gain(const Network& network, const at::Tensor& parameters, const at::Tensor& marginal,
                     const TrainingData& data, const at::Tensor& rows, const at::Tensor& maps, const GainQuery& query);

/// The surrogate's mean (Normal) or probability (Bernoulli) where only `feature`, with a map of two numbers, is known:
/// cells × cells values from (x_low, y_low) to (x_high, y_high), row after row, from y_low upwards.
at::Tensor surrogate_surface(const Network& network, const at::Tensor& parameters, std::int64_t feature,
                             std::span<const double, 4> corners, std::int64_t cells);

}  // namespace macmi
