#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

namespace macmi::maps {

/// A stack of GRU layers (Cho et al. 2014) over several feature groups, each group with weights of its own, in
/// PyTorch's variant:
///   r = σ(W_ir x + b_ir + W_hr h + b_hr),  z = σ(W_iz x + b_iz + W_hz h + b_hz),
///   n = tanh(W_in x + b_in + r ∘ (W_hn h + b_hn)),  h' = (1 − z) ∘ n + z ∘ h,  starting from h = 0.
/// A step that is not valid leaves the states of every layer as they were, whatever x holds there (NaN included).
///
/// All steps of all layers run in one sweep over a few samples at a time, in vector registers and cache, in place of
/// the dozen passes over memory per step that separate tensor operations take. Results have the same bits for any
/// number of threads and on every instruction set.
struct GruShape {
  std::size_t groups, samples, steps, channels, hidden, layers;
  std::size_t inputs(std::size_t layer) const { return layer == 0 ? channels : hidden; }
};

/// x: [groups][samples][steps][channels]. valid: 1 for the steps to take, [groups][samples][steps], or
/// [samples][steps] shared by all groups; none: every step.
struct GruSeries {
  const float* x = nullptr;
  const std::uint8_t* valid = nullptr;
  bool valid_shared = false;
};

/// One layer of every group: [groups][inputs][3 · hidden], [groups][hidden][3 · hidden], [groups][3 · hidden] twice,
/// the last index in the order r, z, n. (The matrices of torch::nn::GRU, transposed.)
struct GruLayerWeights {
  const float *input, *recurrent, *input_bias, *recurrent_bias;
};
struct GruLayerGradients {
  float *input, *recurrent, *input_bias, *recurrent_bias;
};

/// How many numbers the forward pass keeps for the backward pass: the states before every sixteenth step. Everything
/// else is computed again on the way back, in cache, which takes less time than writing it to memory and reading it.
std::size_t gru_kept_size(const GruShape& shape);

/// The last state of the top layer, [groups][samples][hidden], into `out`. `kept` has room for gru_kept_size()
/// numbers and starts on a cache line, or is null when no backward pass follows. `threads` = 0: every core.
void gru_forward(const GruShape& shape, const GruSeries& series, std::span<const GruLayerWeights> weights, float* kept,
                 float* out, std::size_t threads = 1);

/// Gradients of any function of `out`, given its gradient with respect to `out`; overwrites `gradients`.
void gru_backward(const GruShape& shape, const GruSeries& series, std::span<const GruLayerWeights> weights,
                  const float* kept, const float* out_gradient, std::span<const GruLayerGradients> gradients,
                  std::size_t threads = 1);

}  // namespace macmi::maps
