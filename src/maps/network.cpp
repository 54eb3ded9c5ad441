#include "maps/network.hpp"

#include <cmath>

#include "base/random.hpp"
#include "maps/gru.hpp"

namespace macmi {

Network::Network(Architecture architecture)
    : architecture_(std::move(architecture)), groups_(groups_of(architecture_)) {
  for (const ParameterBlock& block : parameter_blocks(architecture_)) {
    sizes_.push_back(block.size());
    shapes_.push_back(block.shape);
  }
  const auto features = static_cast<std::int64_t>(architecture_.features.size());
  const auto columns = static_cast<std::int64_t>(architecture_.map_columns());
  feature_of_column_ = at::zeros({columns}, at::kLong);
  columns_of_feature_ = at::zeros({features, columns});
  std::int64_t column = 0;
  for (std::int64_t f = 0; f < features; ++f)
    for (std::size_t p = 0; p < architecture_.features[static_cast<std::size_t>(f)].outputs; ++p, ++column) {
      feature_of_column_[column] = f;
      columns_of_feature_[f][column] = 1;
    }
}

at::Tensor Network::initial_parameters(const StreamKey& key) const {
  at::Tensor parameters = at::empty({static_cast<std::int64_t>(parameter_count(architecture_))});
  auto* at = parameters.data_ptr<float>();
  RandomStream random(key.with("initial parameters"));
  for (std::size_t f = 0; architecture_.scaled && f < architecture_.features.size(); ++f) *at++ = 1;
  std::vector<ParameterBlock> drawn = parameter_blocks(architecture_);
  if (architecture_.scaled) drawn.erase(drawn.begin());
  for (const ParameterBlock& block : drawn) {
    const double bound = 1 / std::sqrt(static_cast<double>(block.fan_in));
    for (std::int64_t i = 0; i < block.size(); ++i) *at++ = static_cast<float>(random.uniform(-bound, bound));
  }
  return parameters;
}

std::vector<at::Tensor> Network::blocks(const at::Tensor& parameters) const {
  std::vector<at::Tensor> parts = parameters.split_with_sizes(sizes_);
  for (std::size_t b = 0; b < parts.size(); ++b) parts[b] = parts[b].view(shapes_[b]);
  return parts;
}

at::Tensor Network::activate(const at::Tensor& x) const {
  return architecture_.activation == Activation::silu ? at::silu(x) : at::relu(x);
}

/// One group's maps: [batch, features · outputs].
at::Tensor Network::encode(const MapGroup& group, const std::vector<at::Tensor>& blocks, std::size_t& next,
                           const at::Tensor& values, const at::Tensor& present) const {
  const auto batch = values.size(0), features = values.size(1);
  // A scaled feature is the same as scaled weights of the layer that sees it first.
  at::Tensor scale;
  if (architecture_.scaled)
    scale = blocks[0]
                .slice(0, static_cast<std::int64_t>(group.first), static_cast<std::int64_t>(group.first + group.count))
                .view({-1, 1, 1});
  if (group.shape.encoder == Encoder::identity)
    return (scale.defined() ? values * scale.view({1, -1, 1}) : values).reshape({batch, -1});
  bool first = true;
  const auto linear = [&](const at::Tensor& x) {
    const at::Tensor weight = first && scale.defined() ? blocks[next] * scale : blocks[next];
    const at::Tensor& bias = blocks[next + 1];
    first = false;
    next += 2;
    return at::baddbmm(bias, x, weight);
  };
  const at::Tensor by_feature = values.transpose(0, 1);
  at::Tensor out;
  if (group.shape.encoder == Encoder::mlp) {
    out = activate(linear(by_feature));
    out = activate(linear(out));
  } else {
    std::vector<GruLayer> layers;
    for (std::size_t l = 0; l < architecture_.gru_layers; ++l, next += 4)
      layers.push_back({l == 0 && scale.defined() ? blocks[next] * scale : blocks[next], blocks[next + 1],
                        blocks[next + 2], blocks[next + 3]});
    first = false;
    const auto steps = static_cast<std::int64_t>(group.shape.steps),
               width = static_cast<std::int64_t>(group.shape.width);
    out = gru_last_state(by_feature.reshape({features, batch, steps, width}),
                         present.defined() ? present.transpose(0, 1) : present, layers);
  }
  return linear(out).transpose(0, 1).reshape({batch, -1});
}

at::Tensor Network::maps(const std::vector<at::Tensor>& blocks, const FeatureBatch& batch) const {
  std::vector<at::Tensor> parts;
  std::size_t next = architecture_.scaled ? 1 : 0;
  for (std::size_t g = 0; g < groups_.size(); ++g)
    parts.push_back(encode(groups_[g], blocks, next, batch.values[g], batch.present[g]));
  return parts.size() == 1 ? parts[0] : at::cat(parts, 1);
}

at::Tensor Network::predict(const std::vector<at::Tensor>& blocks, const at::Tensor& maps,
                            const at::Tensor& mask) const {
  const at::Tensor kept = maps * mask.index_select(1, feature_of_column_);
  at::Tensor out = at::cat({kept, mask}, 1);
  const std::size_t first = blocks.size() - 6;
  for (std::size_t layer = 0; layer < 3; ++layer) {
    const at::Tensor &weight = blocks[first + 2 * layer], &bias = blocks[first + 2 * layer + 1];
    out = at::addmm(bias.select(0, 0), out, weight.select(0, 0));
    if (layer < 2) out = activate(out);
  }
  return out;
}

}  // namespace macmi
