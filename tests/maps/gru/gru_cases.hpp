#pragma once
#include <fmt/format.h>

#include <cmath>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "base/vector/aligned.hpp"
#include "maps/gru/fused_gru.hpp"

namespace macmi::testing {

/// Sizes of a GRU, and which of its steps are there.
struct GruCase {
  enum class Present { all, scattered, lengths, shared };
  maps::GruShape shape;
  Present present = Present::all;
};

inline std::string name(const GruCase& c) {
  const maps::GruShape& s = c.shape;
  return fmt::format("{} groups, {} samples, {} steps, {} channels, {} states, {} layers, present {}", s.groups,
                     s.samples, s.steps, s.channels, s.hidden, s.layers, static_cast<int>(c.present));
}

/// Layers 1 to 3; 3, 16 and 20 states; 1 to 5 channels; fewer samples than a vector, exactly a block, several ranges;
/// fewer steps than a chunk, a chunk, several.
inline const std::vector<GruCase>& gru_cases() {
  using Present = GruCase::Present;
  static const std::vector<GruCase> cases = {{{1, 1, 1, 1, 1, 1}},
                                             {{2, 5, 7, 1, 3, 1}},
                                             {{2, 6, 5, 5, 7, 2}, Present::scattered},
                                             {{3, 32, 16, 2, 16, 2}},
                                             {{2, 19, 33, 3, 20, 3}},
                                             {{2, 70, 20, 1, 16, 2}, Present::scattered},
                                             {{3, 33, 40, 2, 3, 3}, Present::scattered},
                                             {{2, 150, 37, 3, 16, 1}, Present::lengths},
                                             {{2, 9, 50, 1, 20, 2}, Present::lengths},
                                             {{3, 40, 34, 2, 16, 3}, Present::shared},
                                             {{1, 1100, 3, 1, 4, 1}}};
  return cases;
}

/// A GRU with random weights, its series, and a random direction of its output: loss = Σ direction · last state.
/// `parameters` has layer after layer: input and recurrent weights, both biases.
struct GruExample {
  maps::GruShape shape;
  std::vector<float> x, parameters, direction;
  std::vector<std::uint8_t> valid;
  bool valid_shared = false;

  GruExample(const GruCase& c, std::uint64_t seed) : shape(c.shape) {
    base::RandomStream random(base::StreamKey(seed).with("gru"));
    const auto add = [&](std::vector<float>& to, std::size_t count, double scale) {
      for (std::size_t i = 0; i < count; ++i) to.push_back(static_cast<float>(scale * random.normal()));
    };
    const std::size_t gates = 3 * shape.hidden * shape.groups;
    add(x, shape.groups * shape.samples * shape.steps * shape.channels, 1);
    for (std::size_t l = 0; l < shape.layers; ++l) {
      add(parameters, gates * shape.inputs(l), 0.6);
      add(parameters, gates * shape.hidden, 0.35);
      add(parameters, 2 * gates, 0.3);
    }
    add(direction, shape.groups * shape.samples * shape.hidden, 1);
    valid_shared = c.present == GruCase::Present::shared;
    const std::size_t series = (valid_shared ? 1 : shape.groups) * shape.samples;
    if (c.present == GruCase::Present::all) return;
    for (std::size_t s = 0; s < series; ++s) {
      const std::size_t length = random.below(shape.steps + 1);
      for (std::size_t t = 0; t < shape.steps; ++t)
        valid.push_back(c.present == GruCase::Present::scattered ? random.uniform() < 0.7 : t < length);
    }
  }

  maps::GruSeries series() const { return {x.data(), valid.empty() ? nullptr : valid.data(), valid_shared}; }
  bool is_valid(std::size_t group, std::size_t sample, std::size_t step) const {
    const std::size_t row = (valid_shared ? 0 : group * shape.samples) + sample;
    return valid.empty() || valid[row * shape.steps + step] != 0;
  }

  /// Where the four parts of every layer lie among the parameters.
  template <class Part, class Float>
  std::vector<Part> parts(Float* at) const {
    std::vector<Part> layers;
    const std::size_t gates = 3 * shape.hidden * shape.groups;
    for (std::size_t l = 0; l < shape.layers; ++l) {
      Float *recurrent = at + gates * shape.inputs(l), *bias = recurrent + gates * shape.hidden;
      layers.push_back({at, recurrent, bias, bias + gates});
      at = bias + 2 * gates;
    }
    return layers;
  }
  /// The group that a parameter belongs to.
  std::size_t group_of(std::size_t parameter) const {
    for (std::size_t l = 0; l < shape.layers; ++l)
      for (const std::size_t columns : {shape.inputs(l), shape.hidden, std::size_t{1}, std::size_t{1}}) {
        const std::size_t size = 3 * shape.hidden * columns;
        if (parameter < shape.groups * size) return parameter / size;
        parameter -= shape.groups * size;
      }
    return shape.groups;
  }
};

struct GruOutcome {
  std::vector<float> last, gradient;
};

inline GruOutcome fused(const GruExample& e, std::size_t threads = 1) {
  GruOutcome outcome;
  outcome.last.assign(e.shape.groups * e.shape.samples * e.shape.hidden, std::nanf(""));
  outcome.gradient.assign(e.parameters.size(), std::nanf(""));
  base::AlignedVector<float> kept(maps::gru_kept_size(e.shape));
  const auto weights = e.parts<maps::GruLayerWeights>(e.parameters.data());
  maps::gru_forward(e.shape, e.series(), weights, kept.data(), outcome.last.data(), threads);
  maps::gru_backward(e.shape, e.series(), weights, kept.data(), e.direction.data(),
                     e.parts<maps::GruLayerGradients>(outcome.gradient.data()), threads);
  return outcome;
}

struct PlainGruLayer {
  const double *input, *recurrent, *input_bias, *recurrent_bias;
};

/// The last states of one group by the formulas, one unit at a time, in double precision.
inline std::vector<double> plain_last_states(const GruExample& e, const std::vector<double>& parameters,
                                             std::size_t group) {
  const auto sigmoid = [](double v) { return 1 / (1 + std::exp(-v)); };
  const maps::GruShape& s = e.shape;
  const std::size_t gates = 3 * s.hidden;
  const auto layers = e.parts<PlainGruLayer>(parameters.data());
  std::vector<double> last;
  for (std::size_t k = 0; k < s.samples; ++k) {
    std::vector<std::vector<double>> state(s.layers, std::vector<double>(s.hidden, 0.0));
    for (std::size_t t = 0; t < s.steps; ++t) {
      if (!e.is_valid(group, k, t)) continue;
      const float* x = e.x.data() + ((group * s.samples + k) * s.steps + t) * s.channels;
      std::vector<double> in(x, x + s.channels);
      for (std::size_t l = 0; l < s.layers; ++l) {
        std::vector<double> from_input(layers[l].input_bias + group * gates,
                                       layers[l].input_bias + (group + 1) * gates),
            from_state(layers[l].recurrent_bias + group * gates, layers[l].recurrent_bias + (group + 1) * gates);
        for (std::size_t i = 0; i < in.size(); ++i)
          for (std::size_t g = 0; g < gates; ++g)
            from_input[g] += in[i] * layers[l].input[(group * in.size() + i) * gates + g];
        for (std::size_t i = 0; i < s.hidden; ++i)
          for (std::size_t g = 0; g < gates; ++g)
            from_state[g] += state[l][i] * layers[l].recurrent[(group * s.hidden + i) * gates + g];
        for (std::size_t u = 0; u < s.hidden; ++u) {
          const double r = sigmoid(from_input[u] + from_state[u]);
          const double z = sigmoid(from_input[s.hidden + u] + from_state[s.hidden + u]);
          const double n = std::tanh(from_input[2 * s.hidden + u] + r * from_state[2 * s.hidden + u]);
          state[l][u] = (1 - z) * n + z * state[l][u];
        }
        in = state[l];
      }
    }
    last.insert(last.end(), state.back().begin(), state.back().end());
  }
  return last;
}

}  // namespace macmi::testing
