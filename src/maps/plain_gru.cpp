#include "maps/gru.hpp"

namespace macmi {
namespace {

/// The state after every step of one layer (Cho et al. 2014, in torch's variant), from its input at every step
/// [features, batch, inputs]. The inputs' part of all gates is one product, taken apart by unbind, whose gradient is
/// one stack; select would fill a tensor of all steps for the gradient of every single one.
std::vector<at::Tensor> states_of(const std::vector<at::Tensor>& inputs, const at::Tensor& present,
                                  const GruLayer& layer) {
  const auto features = inputs[0].size(0), batch = inputs[0].size(1), states = layer.from_state.size(1);
  const auto steps = static_cast<std::int64_t>(inputs.size());
  const at::Tensor from_input = at::baddbmm(layer.input_bias, at::cat(inputs, 1), layer.from_input);
  const std::vector<at::Tensor> per_step = from_input.view({features, steps, batch, 3 * states}).unbind(1);
  at::Tensor state = at::zeros({features, batch, states}, inputs[0].options());
  std::vector<at::Tensor> all;
  for (std::size_t t = 0; t < inputs.size(); ++t) {
    const at::Tensor i = per_step[t], h = at::baddbmm(layer.state_bias, state, layer.from_state);
    const at::Tensor both = at::sigmoid(i.narrow(2, 0, 2 * states) + h.narrow(2, 0, 2 * states));
    const at::Tensor reset = both.narrow(2, 0, states), update = both.narrow(2, states, states);
    const at::Tensor fresh = at::tanh(i.narrow(2, 2 * states, states) + reset * h.narrow(2, 2 * states, states));
    const at::Tensor next = fresh + update * (state - fresh);
    state = present.defined() ? at::where(present.select(-1, static_cast<std::int64_t>(t)).unsqueeze(-1), next, state)
                              : next;
    all.push_back(state);
  }
  return all;
}

}  // namespace

at::Tensor plain_gru_last_state(const at::Tensor& x, const at::Tensor& present, const std::vector<GruLayer>& layers) {
  const at::Tensor taken = present.defined() ? present.ne(0) : present;
  const at::Tensor input = present.defined() ? x.masked_fill(taken.logical_not().unsqueeze(-1), 0) : x;
  if (x.size(2) == 0) return at::zeros({x.size(0), x.size(1), layers[0].from_state.size(1)}, x.options());
  std::vector<at::Tensor> sequence = input.unbind(2);
  for (const GruLayer& layer : layers) sequence = states_of(sequence, taken, layer);
  return sequence.back();
}

at::Tensor present_steps(const at::Tensor& lengths, std::int64_t steps) {
  return at::arange(steps, lengths.options()).lt(lengths.unsqueeze(-1));
}

}  // namespace macmi
