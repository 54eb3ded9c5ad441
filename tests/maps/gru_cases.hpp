#pragma once
#include <ATen/CPUGeneratorImpl.h>

#include <string>
#include <vector>

#include "maps/gru.hpp"

namespace macmi {

/// Sizes of a GRU, and which of its steps are present.
struct GruCase {
  enum class Present { all, scattered, lengths, shared };
  std::int64_t features, batch, steps, inputs, states, layers;
  Present present = Present::all;
};

/// A GRU with random weights, its series and a random direction for its output: loss = Σ direction · last state.
struct GruExample {
  at::Tensor x, present, direction;
  std::vector<GruLayer> layers;

  std::vector<at::Tensor> leaves() const {
    std::vector<at::Tensor> all{x};
    for (const GruLayer& layer : layers)
      all.insert(all.end(), {layer.from_input, layer.from_state, layer.input_bias, layer.state_bias});
    return all;
  }
};

inline at::Tensor present_of(const GruCase& c, at::Generator random) {
  switch (c.present) {
    case GruCase::Present::scattered:
      return at::rand({c.features, c.batch, c.steps}, random).lt(0.7);
    case GruCase::Present::lengths:
      return present_steps(at::randint(0, c.steps + 1, {c.features, c.batch}, random, at::kLong), c.steps);
    case GruCase::Present::shared:
      return present_steps(at::randint(0, c.steps + 1, {c.batch}, random, at::kLong), c.steps);
    default:
      return {};
  }
}

inline GruExample make_example(const GruCase& c, at::ScalarType type, std::uint64_t seed) {
  at::Generator random = at::detail::createCPUGenerator(seed);
  const auto normal = [&](at::IntArrayRef sizes, double scale) {
    return (at::randn(sizes, random, at::kDouble) * scale).to(type).requires_grad_(true);
  };
  GruExample example;
  example.x = normal({c.features, c.batch, c.steps, c.inputs}, 1);
  example.present = present_of(c, random);
  example.direction = at::randn({c.features, c.batch, c.states}, random, at::kDouble).to(type);
  for (std::int64_t l = 0, inputs = c.inputs; l < c.layers; ++l, inputs = c.states)
    example.layers.push_back({normal({c.features, inputs, 3 * c.states}, 0.6),
                              normal({c.features, c.states, 3 * c.states}, 0.35),
                              normal({c.features, 1, 3 * c.states}, 0.3), normal({c.features, 1, 3 * c.states}, 0.3)});
  return example;
}

/// The same numbers in another precision, as new leaves.
inline GruExample in_precision(const GruExample& from, at::ScalarType type) {
  const auto leaf = [&](const at::Tensor& t) { return t.detach().to(type, false, true).requires_grad_(true); };
  GruExample to;
  to.x = leaf(from.x);
  to.present = from.present;
  to.direction = from.direction.to(type);
  for (const GruLayer& layer : from.layers)
    to.layers.push_back(
        {leaf(layer.from_input), leaf(layer.from_state), leaf(layer.input_bias), leaf(layer.state_bias)});
  return to;
}

struct GruOutcome {
  at::Tensor last;
  std::vector<at::Tensor> gradients;  ///< of x, then of every layer's four tensors
};

inline GruOutcome differentiate(const at::Tensor& last, const GruExample& example) {
  return {last.detach(), torch::autograd::grad({(last * example.direction).sum()}, example.leaves())};
}

}  // namespace macmi
