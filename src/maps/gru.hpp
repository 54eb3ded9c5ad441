#pragma once
#include <vector>

#include "maps/torch.hpp"

namespace macmi {

/// One layer of `features` GRUs side by side. Gates stand in the order reset, update, new, as in torch::nn::GRU.
struct GruLayer {
  at::Tensor from_input;  ///< [features, inputs, 3 states]
  at::Tensor from_state;  ///< [features, states, 3 states]
  at::Tensor input_bias;  ///< [features, 1, 3 states]
  at::Tensor state_bias;  ///< [features, 1, 3 states]
};

/// The last states [features, batch, states] of stacked GRUs over x [features, batch, steps, inputs]. Where `present`
/// [features, batch, steps], or [batch, steps] for all features alike, is 0 the step is missing: the states pass
/// unchanged, whatever x holds there. `present` may be undefined: all are.
/// On the CPU in single precision this is the fused kernel (maps/fused_gru.hpp), on up to `threads` threads (0 = every
/// core) with the same bits for any number of them; elsewhere the plain operations.
at::Tensor gru_last_state(const at::Tensor& x, const at::Tensor& present, const std::vector<GruLayer>& layers,
                          std::size_t threads = 1);

/// The same in plain tensor operations, on any device and in any precision: the definition.
at::Tensor plain_gru_last_state(const at::Tensor& x, const at::Tensor& present, const std::vector<GruLayer>& layers);

/// `present` [batch, steps] (or [features, batch, steps]) of series that are `lengths` [batch] (or [features, batch])
/// long out of `steps`.
at::Tensor present_steps(const at::Tensor& lengths, std::int64_t steps);

}  // namespace macmi
