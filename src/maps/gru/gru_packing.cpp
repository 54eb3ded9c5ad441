#include "maps/gru/gru_packing.hpp"

#include <algorithm>

namespace macmi::maps {
namespace {

/// The gates' places in the weights; m is the recurrent part of n.
constexpr std::size_t r = 0, z = 1, n = 2, m = 2;
constexpr std::size_t input_gates[3] = {n, r, z}, recurrent_gates[3] = {r, z, m};

/// [gate][unit / 4][column][4] from [column][gate][unit].
float* pack(const float* weights, const std::size_t (&gates)[3], std::size_t hidden, std::size_t columns, float* out) {
  const std::size_t units = gru_padded(hidden);
  for (const std::size_t gate : gates)
    for (std::size_t first = 0; first < units; first += gru_tile)
      for (std::size_t column = 0; column < columns; ++column)
        for (std::size_t u = first; u < first + gru_tile; ++u)
          *out++ = u < hidden ? weights[(column * 3 + gate) * hidden + u] : 0.0f;
  return out;
}

/// The transposed matrix: [column / 4][gate][unit][4].
float* pack_transposed(const float* weights, const std::size_t (&gates)[3], std::size_t hidden, std::size_t columns,
                       float* out) {
  const std::size_t units = gru_padded(hidden);
  for (std::size_t first = 0; first < columns; first += gru_tile)
    for (const std::size_t gate : gates)
      for (std::size_t u = 0; u < units; ++u)
        for (std::size_t column = first; column < first + gru_tile; ++column)
          *out++ = u < hidden && column < columns ? weights[(column * 3 + gate) * hidden + u] : 0.0f;
  return out;
}

/// [n r z m][unit]: r and z take the sum of both biases.
void pack_bias(const float* input, const float* recurrent, std::size_t hidden, float* out) {
  const std::size_t units = gru_padded(hidden);
  std::fill_n(out, 4 * units, 0.0f);
  for (std::size_t u = 0; u < hidden; ++u) {
    out[u] = input[n * hidden + u];
    out[units + u] = input[r * hidden + u] + recurrent[r * hidden + u];
    out[2 * units + u] = input[z * hidden + u] + recurrent[z * hidden + u];
    out[3 * units + u] = recurrent[m * hidden + u];
  }
}

}  // namespace

PackedGruGroup::PackedGruGroup(const GruShape& shape, std::span<const GruLayerWeights> weights, std::size_t group) {
  const std::size_t hidden = shape.hidden, units = gru_padded(hidden), rows = 3 * hidden;
  for (std::size_t l = 0; l < shape.layers; ++l) {
    const std::size_t inputs = shape.inputs(l);
    const float* input = weights[l].input + group * rows * inputs;
    const float* recurrent = weights[l].recurrent + group * rows * hidden;
    base::AlignedVector<float>& numbers = numbers_.emplace_back();
    numbers.resize(3 * units * (inputs + hidden + gru_padded(inputs) + units) + 4 * units);
    PackedGruLayer& packed = layers_.emplace_back();
    packed.inputs = inputs;
    packed.hidden = hidden;
    packed.units = units;
    float* at = numbers.data();
    packed.input = at;
    packed.recurrent = at = pack(input, input_gates, hidden, inputs, at);
    packed.input_back = at = pack(recurrent, recurrent_gates, hidden, hidden, at);
    packed.recurrent_back = at = pack_transposed(input, input_gates, hidden, inputs, at);
    packed.bias = at = pack_transposed(recurrent, recurrent_gates, hidden, hidden, at);
    pack_bias(weights[l].input_bias + group * rows, weights[l].recurrent_bias + group * rows, hidden, at);
  }
}

}  // namespace macmi::maps
