#include "maps/objective.hpp"

#include "maps/surrogate.hpp"

namespace macmi {
namespace {

/// Rows of a matrix. The gradient of an embedding is a plain sum over rows, where index_select's is many times slower.
at::Tensor rows(const at::Tensor& matrix, const at::Tensor& indices) {
  return at::embedding(matrix, indices);
}

at::Tensor target_of_masks(const TrainingBatch& batch) {
  return batch.mask_sample.defined() ? batch.target.index_select(0, batch.mask_sample) : batch.target;
}

}  // namespace

at::Tensor predict_masked(const Network& network, const std::vector<at::Tensor>& blocks, const at::Tensor& maps,
                          const TrainingBatch& batch) {
  return network.predict(blocks, batch.mask_sample.defined() ? rows(maps, batch.mask_sample) : maps, batch.mask);
}

at::Tensor masked_log_likelihood(const Network& network, const std::vector<at::Tensor>& blocks, const at::Tensor& maps,
                                 const TrainingBatch& batch) {
  return log_likelihood(network.architecture().family, predict_masked(network, blocks, maps, batch),
                        target_of_masks(batch));
}

PairDistances pair_distances(const Network& network, const std::vector<at::Tensor>& blocks, const at::Tensor& maps,
                             const at::Tensor& prediction, const TrainingBatch& batch) {
  const at::Tensor own = network.columns_of_feature().to(maps.options()).index_select(0, batch.pair_feature);
  const at::Tensor here = rows(maps, batch.pair_sample);
  const at::Tensor change = own * (rows(maps, batch.pair_swapped) - here);
  const at::Tensor swapped = network.predict(blocks, here + change, batch.mask.index_select(0, batch.pair_mask));
  return {change.square().sum(1),
          jeffreys(network.architecture().family, rows(prediction, batch.pair_mask), swapped)};
}

ObjectiveValue objective(const Network& network, const at::Tensor& parameters, const TrainingBatch& batch,
                         double lambda) {
  const std::vector<at::Tensor> blocks = network.blocks(parameters);
  const at::Tensor maps = network.maps(blocks, batch.features);
  const at::Tensor prediction = predict_masked(network, blocks, maps, batch);
  ObjectiveValue value;
  value.log_likelihood = log_likelihood(network.architecture().family, prediction, target_of_masks(batch)).mean();
  value.objective = value.log_likelihood;
  if (lambda == 0 || batch.pair_sample.numel() == 0) return value;
  const PairDistances pairs = pair_distances(network, blocks, maps, prediction, batch);
  value.regulariser = (pairs.map_distance - pairs.divergence).abs().sum() / static_cast<double>(batch.mask.size(0));
  value.objective = value.objective - lambda * value.regulariser;
  return value;
}

}  // namespace macmi
