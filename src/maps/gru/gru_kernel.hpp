#pragma once
#include <cstddef>
#include <cstdint>

#include "maps/gru/fused_gru.hpp"

namespace macmi::maps {

/// Units are taken four at a time; the last tile is filled up with units of zero weights, whose state stays 0.
inline constexpr std::size_t gru_tile = 4;
/// No instruction set takes more samples at once.
inline constexpr std::size_t gru_most_samples = 32;

/// Steps taken together: their states and gates stay in the second-level cache between the parts of the backward pass.
inline constexpr std::size_t gru_chunk_steps = 16;

inline std::size_t gru_chunks(std::size_t steps) {
  return (steps + gru_chunk_steps - 1) / gru_chunk_steps;
}
inline std::size_t gru_padded(std::size_t count) {
  return (count + gru_tile - 1) / gru_tile * gru_tile;
}

/// The weights of one layer and group in the order the kernels read them: for every tile of four outputs, the four
/// weights of the first input, then those of the second, … Gate rows are kept in the order n, r, z, m, with
/// m = W_hn h + b_hn: the first three depend on the layer's input, the last three on its state before the step.
struct PackedGruLayer {
  std::size_t inputs, hidden, units;  // units: hidden, padded
  const float* input;                 // [n r z][units / 4][inputs][4]
  const float* recurrent;             // [r z m][units / 4][hidden][4]
  const float* bias;                  // [n r z m][units]
  const float* input_back;            // transposed: [inputs, padded / 4][3 · units][4]
  const float* recurrent_back;        // [units / 4][3 · units][4]
};

/// The series and weights of one group.
struct GruGroup {
  std::size_t steps, channels, layers;
  const PackedGruLayer* weights;
  const float* x;
  const std::uint8_t* valid;
};

/// Samples first … last − 1 of a group of which `samples` exist. `first` is a multiple of gru_most_samples.
struct GruRange {
  std::size_t first, last;
};

/// States kept for the samples from `first` on start at first · layers · chunks · units; their order inside is the
/// instruction set's own.
void gru_forward_range(const GruGroup& group, GruRange range, float* kept, float* out);

/// `gradients` are written (not added to) in the shapes of the weights, for these samples alone.
void gru_backward_range(const GruGroup& group, GruRange range, const float* kept, const float* out_gradient,
                        const GruLayerGradients* gradients);

/// 1 / (1 + e^−x) and tanh x of `count` numbers (a multiple of 16), as the kernels compute them.
void gru_sigmoid(const float* x, std::size_t count, float* out);
void gru_tanh(const float* x, std::size_t count, float* out);

}  // namespace macmi::maps
