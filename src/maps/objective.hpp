#pragma once
#include "maps/network.hpp"

namespace macmi {

/// Samples of a training step with their masks, one or several each, and the pairs of the regulariser: for every mask
/// of a sample k and every feature i it keeps, the sample whose x_i takes the place of its own ("shuffle x_i",
/// Algorithm 2).
struct TrainingBatch {
  FeatureBatch features;
  at::Tensor target;
  at::Tensor mask;          ///< [masks, features], 0/1
  at::Tensor mask_sample;   ///< k [masks], int64; undefined: one mask for each sample
  at::Tensor pair_mask;     ///< row of `mask` [pairs]
  at::Tensor pair_sample;   ///< k [pairs], int64
  at::Tensor pair_feature;  ///< i [pairs]
  at::Tensor pair_swapped;  ///< the sample that lends its x_i [pairs]
};

struct ObjectiveValue {
  at::Tensor objective;       ///< to be maximised: mean log likelihood − λ · regulariser
  at::Tensor log_likelihood;  ///< mean
  at::Tensor regulariser;     ///< mean over masks of Σ_i W_i R_i; undefined when λ is 0
};

/// Equation 9 of the paper on a batch: E[log q_θ(Y | F_W(V), W) − λ Σ_i W_i R_i] with
/// R_i = | ‖f_i(x_i') − f_i(x_i'')‖² − D_J(q_i' ‖ q_i'') |. Each map runs once; all swapped samples go through the
/// surrogate in one call.
ObjectiveValue objective(const Network& network, const at::Tensor& parameters, const TrainingBatch& batch,
                         double lambda);

/// What the surrogate predicts from every mask.
at::Tensor predict_masked(const Network& network, const std::vector<at::Tensor>& blocks, const at::Tensor& maps,
                          const TrainingBatch& batch);

at::Tensor masked_log_likelihood(const Network& network, const std::vector<at::Tensor>& blocks, const at::Tensor& maps,
                                 const TrainingBatch& batch);

/// ‖f_i(x_i') − f_i(x_i'')‖² and D_J(q_i' ‖ q_i'') of every pair [pairs].
struct PairDistances {
  at::Tensor map_distance, divergence;
};
PairDistances pair_distances(const Network& network, const std::vector<at::Tensor>& blocks, const at::Tensor& maps,
                             const at::Tensor& prediction, const TrainingBatch& batch);

}  // namespace macmi
