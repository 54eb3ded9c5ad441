#include "maps/network/architecture.hpp"

#include <cmath>

namespace macmi::maps {
namespace {

constexpr std::int64_t most_units = 1 << 16, most_features = 1 << 20;

std::int64_t i64(std::size_t value) {
  return static_cast<std::int64_t>(value);
}

/// Layers of `count` networks side by side: weights [count, in, out], biases [count, 1, out].
void add_linear(std::vector<ParameterBlock>& blocks, std::size_t count, std::size_t in, std::size_t out) {
  blocks.push_back({{i64(count), i64(in), i64(out)}, i64(in)});
  blocks.push_back({{i64(count), 1, i64(out)}, i64(in)});
}

void add_group(std::vector<ParameterBlock>& blocks, const Architecture& a, const MapGroup& group) {
  const MapShape& shape = group.shape;
  if (shape.encoder == Encoder::mlp) {
    add_linear(blocks, group.count, shape.width * shape.steps, a.map_width);
    add_linear(blocks, group.count, a.map_width, a.map_width);
    add_linear(blocks, group.count, a.map_width, shape.outputs);
  } else if (shape.encoder == Encoder::gru) {
    const std::int64_t states = i64(a.gru_states);
    for (std::size_t layer = 0; layer < a.gru_layers; ++layer) {
      const std::int64_t in = layer == 0 ? i64(shape.width) : states;
      blocks.push_back({{i64(group.count), in, 3 * states}, states});      // from the input
      blocks.push_back({{i64(group.count), states, 3 * states}, states});  // from the state
      blocks.push_back({{i64(group.count), 1, 3 * states}, states});
      blocks.push_back({{i64(group.count), 1, 3 * states}, states});
    }
    add_linear(blocks, group.count, a.gru_states, shape.outputs);
  }
}

}  // namespace

std::size_t Architecture::map_columns() const {
  std::size_t columns = 0;
  for (const MapShape& shape : features) columns += shape.outputs;
  return columns;
}

std::size_t Architecture::predictions() const {
  switch (family) {
    case Family::normal:
      return 2 * target_width;
    case Family::bernoulli:
      return 1;
    case Family::categorical:
      break;
  }
  return target_width;
}

std::vector<MapGroup> groups_of(const Architecture& architecture) {
  std::vector<MapGroup> groups;
  for (std::size_t f = 0; f < architecture.features.size(); ++f) {
    if (groups.empty() || !(groups.back().shape == architecture.features[f]))
      groups.push_back({architecture.features[f], f, 0});
    ++groups.back().count;
  }
  return groups;
}

std::int64_t ParameterBlock::size() const {
  std::int64_t product = 1;
  for (const std::int64_t extent : shape) product *= extent;
  return product;
}

namespace {

void add_surrogate(std::vector<ParameterBlock>& blocks, const Architecture& a) {
  add_linear(blocks, 1, a.map_columns() + a.features.size(), a.surrogate_width);
  add_linear(blocks, 1, a.surrogate_width, a.surrogate_width);
  add_linear(blocks, 1, a.surrogate_width, a.predictions());
}

std::size_t total_size(const std::vector<ParameterBlock>& blocks) {
  std::size_t count = 0;
  for (const ParameterBlock& block : blocks) count += static_cast<std::size_t>(block.size());
  return count;
}

}  // namespace

std::vector<ParameterBlock> parameter_blocks(const Architecture& a) {
  std::vector<ParameterBlock> blocks;
  if (a.scaled) blocks.push_back({{i64(a.features.size())}, 1});
  for (const MapGroup& group : groups_of(a)) add_group(blocks, a, group);
  add_surrogate(blocks, a);
  return blocks;
}

std::size_t parameter_count(const Architecture& architecture) {
  return total_size(parameter_blocks(architecture));
}

std::size_t map_parameters(const Architecture& architecture, const MapGroup& group) {
  std::vector<ParameterBlock> blocks;
  add_group(blocks, architecture, group);
  return total_size(blocks);
}

std::size_t surrogate_parameters(const Architecture& architecture) {
  std::vector<ParameterBlock> blocks;
  add_surrogate(blocks, architecture);
  return total_size(blocks);
}

std::vector<float> initial_parameters(const Architecture& a, const base::StreamKey& key) {
  base::RandomStream random(key.with("initial parameters"));
  std::vector<float> parameters(a.scaled ? a.features.size() : 0, 1.0F);
  std::vector<ParameterBlock> drawn = parameter_blocks(a);
  if (a.scaled) drawn.erase(drawn.begin());
  for (const ParameterBlock& block : drawn) {
    const double bound = 1 / std::sqrt(static_cast<double>(block.fan_in));
    for (std::int64_t i = 0; i < block.size(); ++i)
      parameters.push_back(static_cast<float>(random.uniform(-bound, bound)));
  }
  return parameters;
}

void put(base::ArrayFileWriter& file, const Architecture& a) {
  std::vector<std::int64_t> shapes;
  for (const MapShape& s : a.features)
    shapes.insert(shapes.end(), {static_cast<std::int64_t>(s.encoder), i64(s.steps), i64(s.width), i64(s.outputs)});
  std::string bytes(reinterpret_cast<const char*>(shapes.data()), shapes.size() * sizeof(std::int64_t));
  file.put_text("shapes", bytes);
  file.put_integer("map_width", i64(a.map_width));
  file.put_integer("gru_states", i64(a.gru_states));
  file.put_integer("gru_layers", i64(a.gru_layers));
  file.put_integer("surrogate_width", i64(a.surrogate_width));
  file.put_integer("family", static_cast<std::int64_t>(a.family));
  file.put_integer("target_width", i64(a.target_width));
  file.put_integer("activation", static_cast<std::int64_t>(a.activation));
  if (a.scaled) file.put_integer("scaled", 1);
}

Architecture get_architecture(const base::ArrayFile& file) {
  const auto size = [&](const char* name, std::int64_t low = 1) {
    return static_cast<std::size_t>(file.integer(name, low, most_units));
  };
  Architecture a;
  const auto raw = file.bytes("shapes");
  constexpr std::size_t per_feature = 4 * sizeof(std::int64_t);
  if (raw.size() % per_feature != 0 || raw.empty() || raw.size() / per_feature > most_features)
    file.refuse("'shapes' is damaged");
  const std::span<const std::int64_t> shapes(reinterpret_cast<const std::int64_t*>(raw.data()),
                                             raw.size() / sizeof(std::int64_t));
  for (std::size_t f = 0; f < shapes.size(); f += 4) {
    for (std::size_t k = 1; k < 4; ++k)
      if (shapes[f + k] < 1 || shapes[f + k] > most_units) file.refuse("'shapes' is damaged");
    if (shapes[f] < 0 || shapes[f] > 2) file.refuse("'shapes' is damaged");
    a.features.push_back({static_cast<Encoder>(shapes[f]), static_cast<std::size_t>(shapes[f + 1]),
                          static_cast<std::size_t>(shapes[f + 2]), static_cast<std::size_t>(shapes[f + 3])});
    if (a.features.back().encoder == Encoder::identity &&
        a.features.back().outputs != a.features.back().width * a.features.back().steps)
      file.refuse("'shapes' is damaged");
  }
  a.map_width = size("map_width");
  a.gru_states = size("gru_states");
  a.gru_layers = size("gru_layers");
  if (a.gru_layers > 64) file.refuse("'gru_layers' is damaged");
  a.surrogate_width = size("surrogate_width");
  a.family = static_cast<Family>(file.integer("family", 0, 2));
  a.target_width = size("target_width");
  a.activation = static_cast<Activation>(file.integer("activation", 0, 1));
  a.scaled = file.has("scaled");
  return a;
}

}  // namespace macmi::maps
