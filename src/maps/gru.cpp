#include "maps/gru.hpp"

#include <fmt/format.h>

#include "macmi/error.hpp"
#include "maps/fused_gru.hpp"

namespace macmi {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

GruShape shape_of(const at::Tensor& x, const at::Tensor& from_state, std::size_t layers) {
  const auto size = [&](std::int64_t i) { return static_cast<std::size_t>(x.size(i)); };
  return {size(0), size(1), size(2), size(3), static_cast<std::size_t>(from_state.size(1)), layers};
}

GruSeries series_of(const at::Tensor& x, const at::Tensor& present) {
  GruSeries series;
  series.x = x.data_ptr<float>();
  if (present.defined()) {
    series.valid = reinterpret_cast<const std::uint8_t*>(present.data_ptr<bool>());
    series.valid_shared = present.dim() == 2;
  }
  return series;
}

/// Four tensors per layer, in the order of GruLayer.
std::vector<GruLayerWeights> weights_of(const at::TensorList& parameters) {
  std::vector<GruLayerWeights> weights;
  for (std::size_t i = 0; i < parameters.size(); i += 4)
    weights.push_back({parameters[i].data_ptr<float>(), parameters[i + 1].data_ptr<float>(),
                       parameters[i + 2].data_ptr<float>(), parameters[i + 3].data_ptr<float>()});
  return weights;
}

/// What takes no gradient.
struct FusedGruCall {
  at::Tensor present;
  bool keep;
  std::size_t threads;
};

struct FusedGru : torch::autograd::Function<FusedGru> {
  static at::Tensor forward(AutogradContext* context, const at::Tensor& x, at::TensorList parameters,
                            const FusedGruCall& call) {
    const bool keep = call.keep;
    const GruShape shape = shape_of(x, parameters[1], parameters.size() / 4);
    at::Tensor out = at::empty({x.size(0), x.size(1), parameters[1].size(1)}, x.options());
    at::Tensor kept = at::empty({keep ? static_cast<std::int64_t>(gru_kept_size(shape)) : 0}, x.options());
    gru_forward(shape, series_of(x, call.present), weights_of(parameters), keep ? kept.data_ptr<float>() : nullptr,
                out.data_ptr<float>(), call.threads);
    if (!keep) return out;
    variable_list saved{x, call.present, kept};
    saved.insert(saved.end(), parameters.begin(), parameters.end());
    context->save_for_backward(saved);
    context->saved_data["threads"] = static_cast<std::int64_t>(call.threads);
    return out;
  }

  static variable_list backward(AutogradContext* context, const variable_list& out_gradient) {
    if (at::GradMode::is_enabled()) throw Error("the fused GRU has no second derivatives: use the plain one");
    const variable_list saved = context->get_saved_variables();
    const at::Tensor &x = saved[0], &present = saved[1], &kept = saved[2];
    const at::TensorList parameters(saved.data() + 3, saved.size() - 3);
    const GruShape shape = shape_of(x, parameters[1], parameters.size() / 4);
    variable_list gradients{context->needs_input_grad(0) ? at::empty_like(x) : at::Tensor()};
    std::vector<GruLayerGradients> views;
    for (const at::Tensor& parameter : parameters) gradients.push_back(at::empty_like(parameter));
    for (std::size_t i = 1; i < gradients.size(); i += 4)
      views.push_back({gradients[i].data_ptr<float>(), gradients[i + 1].data_ptr<float>(),
                       gradients[i + 2].data_ptr<float>(), gradients[i + 3].data_ptr<float>()});
    gru_backward(shape, series_of(x, present), weights_of(parameters), kept.data_ptr<float>(),
                 out_gradient[0].contiguous().data_ptr<float>(), views,
                 gradients[0].defined() ? gradients[0].data_ptr<float>() : nullptr,
                 static_cast<std::size_t>(context->saved_data["threads"].toInt()));
    gradients.emplace_back();  // the call
    return gradients;
  }
};

void require(const at::Tensor& tensor, at::IntArrayRef sizes, const char* what) {
  if (tensor.sizes() != sizes)
    throw Error(fmt::format("GRU: {} has {} numbers in {} dimensions, not the shape that x and the states ask for",
                            what, tensor.numel(), tensor.dim()));
}

void check_shapes(const at::Tensor& x, const at::Tensor& present, const std::vector<GruLayer>& layers) {
  if (x.dim() != 4) throw Error("GRU: x has to be features × batch × steps × inputs");
  if (layers.empty() || layers[0].from_state.dim() != 3) throw Error("GRU: no layers, or no weights in them");
  const std::int64_t features = x.size(0), states = layers[0].from_state.size(1);
  std::int64_t inputs = x.size(3);
  for (const GruLayer& layer : layers) {
    require(layer.from_input, {features, inputs, 3 * states}, "from_input");
    require(layer.from_state, {features, states, 3 * states}, "from_state");
    require(layer.input_bias, {features, 1, 3 * states}, "input_bias");
    require(layer.state_bias, {features, 1, 3 * states}, "state_bias");
    inputs = states;
  }
  if (!present.defined()) return;
  if (present.dim() == 2)
    require(present, {x.size(1), x.size(2)}, "present");
  else
    require(present, {features, x.size(1), x.size(2)}, "present");
}

}  // namespace

at::Tensor gru_last_state(const at::Tensor& x, const at::Tensor& present, const std::vector<GruLayer>& layers,
                          std::size_t threads) {
  check_shapes(x, present, layers);
  if (!x.device().is_cpu() || x.scalar_type() != at::kFloat) return plain_gru_last_state(x, present, layers);
  variable_list parameters;
  for (const GruLayer& layer : layers)
    for (const at::Tensor& tensor : {layer.from_input, layer.from_state, layer.input_bias, layer.state_bias})
      parameters.push_back(tensor.contiguous());
  bool keep = x.requires_grad();
  for (const at::Tensor& parameter : parameters) keep = keep || parameter.requires_grad();
  const FusedGruCall call{present.defined() ? present.ne(0).contiguous() : present, keep && at::GradMode::is_enabled(),
                          threads};
  return FusedGru::apply(x.contiguous(), at::TensorList(parameters), call);
}

}  // namespace macmi
