#include "maps/evaluate.hpp"

#include <cmath>

#include "base/random.hpp"
#include "maps/surrogate.hpp"

namespace macmi {
namespace {

constexpr std::int64_t chunk = 2048;
constexpr std::int64_t most_for_divergence = 4096;

at::Tensor as_mask(const std::vector<std::uint8_t>& mask) {
  at::Tensor row = at::empty({1, static_cast<std::int64_t>(mask.size())});
  for (std::size_t i = 0; i < mask.size(); ++i) row.data_ptr<float>()[i] = mask[i];
  return row;
}

}  // namespace

at::Tensor map_samples(const Network& network, const at::Tensor& parameters, const TrainingData& data,
                       const at::Tensor& rows) {
  const at::NoGradGuard no_gradients;
  const std::vector<at::Tensor> blocks = network.blocks(parameters);
  std::vector<at::Tensor> parts;
  for (std::int64_t begin = 0; begin < rows.size(0); begin += chunk)
    parts.push_back(
        network.maps(blocks, features_of(data, rows.slice(0, begin, std::min(begin + chunk, rows.size(0))))));
  return at::cat(parts).contiguous();
}

at::Tensor predict_samples(const Network& network, const at::Tensor& parameters, const TrainingData& data,
                           const at::Tensor& rows) {
  const at::NoGradGuard no_gradients;
  const at::Tensor maps = map_samples(network, parameters, data, rows);
  at::Tensor mask = at::ones({rows.size(0), static_cast<std::int64_t>(network.architecture().features.size())});
  if (data.known.defined()) mask *= data.known.index_select(0, rows);
  return network.predict(network.blocks(parameters), maps, mask).contiguous();
}

std::vector<double> divergence_of_features(const Network& network, const at::Tensor& parameters,
                                           const TrainingData& data, const at::Tensor& all_rows, const Recipe& recipe) {
  const at::NoGradGuard no_gradients;
  const Architecture& a = network.architecture();
  const std::vector<at::Tensor> blocks = network.blocks(parameters);
  MaskSampler sampler(recipe.masks, a.features.size(), recipe.most_kept);
  RandomStream random(StreamKey(recipe.seed).with("divergence"));
  std::vector<double> sums(a.features.size(), 0), counts(a.features.size(), 0);
  const std::int64_t used = std::min(all_rows.size(0), most_for_divergence);
  for (std::int64_t begin = 0; begin < used; begin += chunk) {
    const at::Tensor rows = all_rows.slice(0, begin, std::min(begin + chunk, used));
    const TrainingBatch batch = draw_batch(data, rows, a, {sampler, recipe.cover}, random, true);
    const at::Tensor maps = network.maps(blocks, batch.features);
    const PairDistances pairs = pair_distances(network, blocks, maps, predict_masked(network, blocks, maps, batch), batch);
    const at::Tensor divergence = pairs.divergence.contiguous();
    for (std::int64_t q = 0; q < divergence.size(0); ++q) {
      const auto feature = static_cast<std::size_t>(batch.pair_feature.data_ptr<std::int64_t>()[q]);
      sums[feature] += divergence.data_ptr<float>()[q];
      counts[feature] += 1;
    }
  }
  for (std::size_t f = 0; f < sums.size(); ++f)  // identity features and features never kept: nothing to judge
    sums[f] = counts[f] > 0 ? sums[f] / counts[f] : std::numeric_limits<double>::quiet_NaN();
  return sums;
}

at::Tensor surrogate_surface(const Network& network, const at::Tensor& parameters, std::int64_t feature,
                             std::span<const double, 4> corners, std::int64_t cells) {
  const at::NoGradGuard no_gradients;
  const Architecture& a = network.architecture();
  const std::int64_t first = network.feature_of_column().eq(feature).nonzero()[0].item<std::int64_t>();
  at::Tensor maps = at::zeros({cells * cells, static_cast<std::int64_t>(a.map_columns())});
  maps.select(1, first).copy_(at::linspace(corners[0], corners[1], cells).repeat({cells}));
  maps.select(1, first + 1).copy_(at::linspace(corners[2], corners[3], cells).repeat_interleave(cells));
  at::Tensor mask = at::zeros({cells * cells, static_cast<std::int64_t>(a.features.size())});
  mask.select(1, feature).fill_(1);
  const at::Tensor prediction = network.predict(network.blocks(parameters), maps, mask).select(1, 0);
  return (a.family == Family::bernoulli ? at::sigmoid(prediction) : prediction).contiguous();
}

Gain likelihood_gain(const Network& network, const at::Tensor& parameters, const at::Tensor& marginal,
                     const TrainingData& data, const at::Tensor& rows, const at::Tensor& maps, const GainQuery& query) {
  const at::NoGradGuard no_gradients;
  const Family family = network.architecture().family;
  const std::vector<at::Tensor> blocks = network.blocks(parameters);
  const at::Tensor target = data.target.index_select(0, rows), with = as_mask(query.with),
                   without = as_mask(query.without);
  const auto score = [&](const at::Tensor& mask) {
    const at::Tensor prediction = mask.sum().item<float>() == 0
                                      ? marginal.expand({rows.size(0), -1})
                                      : network.predict(blocks, maps, mask.expand({rows.size(0), -1}));
    return log_likelihood(family, prediction, target);
  };
  at::Tensor gains = (score(with) - score(without)).to(at::kDouble);
  if (data.known.defined()) {
    const at::Tensor needed = at::maximum(with, without),
                     lacking = ((1 - data.known.index_select(0, rows)) * needed).sum(1);
    gains = gains.masked_select(lacking == 0);
  }
  const std::int64_t samples = gains.size(0);
  if (samples < 2) return {std::nan(""), std::nan(""), samples};
  return {gains.mean().item<double>(), gains.std(true).item<double>() / std::sqrt(static_cast<double>(samples)),
          samples};
}

}  // namespace macmi
