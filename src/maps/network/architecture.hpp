#pragma once
#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "base/files/array_file.hpp"
#include "base/random.hpp"

namespace macmi::maps {

/// How a feature becomes a few numbers.
enum class Encoder : std::int64_t {
  identity,  ///< as it is: a feature that needs no map, known to the surrogate all the same
  mlp,
  gru,
};

/// One feature as the networks see it.
struct MapShape {
  Encoder encoder = Encoder::mlp;
  std::size_t steps = 1;    ///< more than 1 only for gru
  std::size_t width = 1;    ///< numbers per step, categories one-hot
  std::size_t outputs = 1;  ///< numbers of the map (identity: width)
  bool operator==(const MapShape&) const = default;
};

/// The surrogate's distribution of the target.
enum class Family : std::int64_t { normal, bernoulli, categorical };
enum class Activation : std::int64_t { silu, relu };

/// The networks of one model: maps f_i and surrogate q_θ(Y | F_W, W).
struct Architecture {
  std::vector<MapShape> features;  ///< equal shapes stand together
  std::size_t map_width = 32;      ///< units of both hidden layers of an mlp
  std::size_t gru_states = 16;
  std::size_t gru_layers = 2;
  std::size_t surrogate_width = 164;
  Family family = Family::normal;
  std::size_t target_width = 1;  ///< dimensions (normal) or classes (categorical)
  Activation activation = Activation::silu;
  bool scaled = false;  ///< every feature is multiplied by a trainable weight first (l1 selection)

  /// Numbers of all maps together.
  std::size_t map_columns() const;
  /// The surrogate's output: means and log variances, a logit, or a logit per class.
  std::size_t predictions() const;
};

/// Features of one shape, evaluated together: features[first … first + count).
struct MapGroup {
  MapShape shape;
  std::size_t first = 0;
  std::size_t count = 0;
};
std::vector<MapGroup> groups_of(const Architecture& architecture);

/// One weight or bias tensor. All parameters of a model lie in one array, block after block in this order.
struct ParameterBlock {
  std::vector<std::int64_t> shape;
  std::int64_t fan_in = 1;
  std::int64_t size() const;
};
std::vector<ParameterBlock> parameter_blocks(const Architecture& architecture);
std::size_t parameter_count(const Architecture& architecture);
/// Those of one group's maps, which begin where the groups before it end.
std::size_t map_parameters(const Architecture& architecture, const MapGroup& group);
/// Those of the surrogate, which are the last.
std::size_t surrogate_parameters(const Architecture& architecture);

/// Initial parameters, U(±1/√fan_in); scales of features begin as 1.
std::vector<float> initial_parameters(const Architecture& architecture, const base::StreamKey& key);

void put(base::ArrayFileWriter& file, const Architecture& architecture);
/// Throws InputError where the numbers make no network.
Architecture get_architecture(const base::ArrayFile& file);

}  // namespace macmi::maps
