#pragma once
#include <vector>

#include "maps/torch.hpp"

namespace macmi {

/// One layer of `features` GRUs side by side. Gates stand in the order reset, update, new, as in torch::nn::GRU.
struct GruLayer {
  at::Tensor from_input;   ///< [features, inputs, 3 states]
  at::Tensor from_state;   ///< [features, states, 3 states]
  at::Tensor input_bias;   ///< [features, 1, 3 states]
  at::Tensor state_bias;   ///< [features, 1, 3 states]
};

/// The last states [features, batch, states] of stacked GRUs over x [features, batch, steps, inputs]. Where `present`
/// [features, batch, steps] is 0 the step is missing: the state passes unchanged. `present` may be undefined: all are.
at::Tensor gru_last_state(const at::Tensor& x, const at::Tensor& present, const std::vector<GruLayer>& layers);

/// The same in plain tensor operations: the definition.
at::Tensor plain_gru_last_state(const at::Tensor& x, const at::Tensor& present, const std::vector<GruLayer>& layers);

}  // namespace macmi
