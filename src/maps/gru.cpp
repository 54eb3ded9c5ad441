#include "maps/gru.hpp"

namespace macmi {
namespace {

/// All states [features, batch, steps, states] of one layer (Cho et al. 2014, in torch's variant).
std::vector<at::Tensor> states_of(const at::Tensor& x, const at::Tensor& present, const GruLayer& layer) {
  const auto features = x.size(0), batch = x.size(1), steps = x.size(2), states = layer.from_state.size(1);
  const at::Tensor from_input =
      at::baddbmm(layer.input_bias, x.reshape({features, batch * steps, x.size(3)}), layer.from_input).view({features, batch, steps, 3 * states});
  at::Tensor state = at::zeros({features, batch, states}, x.options());
  std::vector<at::Tensor> all;
  for (std::int64_t t = 0; t < steps; ++t) {
    const at::Tensor i = from_input.select(2, t), h = at::baddbmm(layer.state_bias, state, layer.from_state);
    const auto gate = [&](const at::Tensor& of, std::int64_t g) { return of.narrow(2, g * states, states); };
    const at::Tensor reset = at::sigmoid(gate(i, 0) + gate(h, 0)), update = at::sigmoid(gate(i, 1) + gate(h, 1));
    const at::Tensor fresh = at::tanh(gate(i, 2) + reset * gate(h, 2));
    at::Tensor next = fresh + update * (state - fresh);
    if (present.defined()) next = state + present.select(2, t).unsqueeze(2) * (next - state);
    state = next;
    all.push_back(state);
  }
  return all;
}

}  // namespace

at::Tensor plain_gru_last_state(const at::Tensor& x, const at::Tensor& present, const std::vector<GruLayer>& layers) {
  at::Tensor input = x;
  for (std::size_t l = 0;; ++l) {
    const std::vector<at::Tensor> all = states_of(input, present, layers[l]);
    if (l + 1 == layers.size()) return all.back();
    input = at::stack(all, 2);
  }
}

at::Tensor gru_last_state(const at::Tensor& x, const at::Tensor& present, const std::vector<GruLayer>& layers) {
  return plain_gru_last_state(x, present, layers);
}

}  // namespace macmi
