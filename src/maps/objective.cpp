#include "maps/objective.hpp"

#include "maps/surrogate.hpp"

namespace macmi {
namespace {

/// Rows of a matrix. The gradient of an embedding is a plain sum over rows, where index_select's is many times slower.
at::Tensor rows(const at::Tensor& matrix, const at::Tensor& indices) {
  return at::embedding(matrix, indices);
}

}  // namespace

PairDistances pair_distances(const Network& network, const std::vector<at::Tensor>& blocks, const at::Tensor& maps,
                             const at::Tensor& prediction, const TrainingBatch& batch) {
  const at::Tensor own = network.columns_of_feature().to(maps.options()).index_select(0, batch.pair_feature);
  const at::Tensor here = rows(maps, batch.pair_sample);
  const at::Tensor change = own * (rows(maps, batch.pair_swapped) - here);
  const at::Tensor swapped = network.predict(blocks, here + change, batch.mask.index_select(0, batch.pair_sample));
  return {change.square().sum(1),
          jeffreys(network.architecture().family, rows(prediction, batch.pair_sample), swapped)};
}

ObjectiveValue objective(const Network& network, const at::Tensor& parameters, const TrainingBatch& batch,
                         double lambda) {
  const std::vector<at::Tensor> blocks = network.blocks(parameters);
  const at::Tensor maps = network.maps(blocks, batch.features);
  const at::Tensor prediction = network.predict(blocks, maps, batch.mask);
  ObjectiveValue value;
  value.log_likelihood = log_likelihood(network.architecture().family, prediction, batch.target).mean();
  value.objective = value.log_likelihood;
  if (lambda == 0 || batch.pair_sample.numel() == 0) return value;
  const PairDistances pairs = pair_distances(network, blocks, maps, prediction, batch);
  value.regulariser = (pairs.map_distance - pairs.divergence).abs().sum() / static_cast<double>(batch.target.size(0));
  value.objective = value.objective - lambda * value.regulariser;
  return value;
}

}  // namespace macmi
