#pragma once
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "maps/objective.hpp"

namespace macmi::testing {

/// Two vectors of 3 numbers, a vector of 2, a number as it is and two series of 4 steps × 2: every encoder.
inline Architecture small_architecture(Family family, Activation activation = Activation::silu) {
  Architecture a;
  a.features = {{Encoder::identity, 1, 1, 1}, {Encoder::mlp, 1, 2, 2}, {Encoder::mlp, 1, 3, 2},
                {Encoder::mlp, 1, 3, 2},      {Encoder::gru, 4, 2, 1}, {Encoder::gru, 4, 2, 1}};
  a.map_width = 5;
  a.gru_states = 3;
  a.surrogate_width = 7;
  a.family = family;
  a.target_width = family == Family::normal ? 2 : family == Family::bernoulli ? 2 : 3;
  a.activation = activation;
  return a;
}

inline at::Tensor random_numbers(std::vector<std::int64_t> shape, RandomStream& random) {
  at::Tensor t = at::empty(shape, at::kDouble);
  for (std::int64_t i = 0; i < t.numel(); ++i) t.data_ptr<double>()[i] = random.normal();
  return t;
}

/// A batch in double precision with random masks, missing steps and all pairs of the regulariser.
inline TrainingBatch small_batch(const Architecture& a, std::int64_t samples, RandomStream& random) {
  TrainingBatch batch;
  for (const MapGroup& group : groups_of(a)) {
    const auto count = static_cast<std::int64_t>(group.count), steps = static_cast<std::int64_t>(group.shape.steps);
    batch.features.values.push_back(
        random_numbers({samples, count, steps * static_cast<std::int64_t>(group.shape.width)}, random));
    at::Tensor present;
    if (group.shape.encoder == Encoder::gru)
      present = (random_numbers({samples, count, steps}, random) > -0.7).to(at::kDouble);
    batch.features.present.push_back(present);
  }
  const auto m = static_cast<std::int64_t>(a.features.size());
  batch.mask = (random_numbers({samples, m}, random) > 0).to(at::kDouble);
  if (a.family == Family::normal)
    batch.target = random_numbers({samples, static_cast<std::int64_t>(a.target_width)}, random);
  else
    batch.target = at::empty({samples, 1}, at::kLong);
  if (a.family != Family::normal)
    for (std::int64_t k = 0; k < samples; ++k)
      batch.target[k][0] = static_cast<std::int64_t>(random.below(a.target_width));
  if (a.family == Family::bernoulli) batch.target = batch.target.to(at::kDouble);
  std::vector<std::int64_t> sample, feature, swapped;
  for (std::int64_t i = 0; i < m; ++i)
    for (std::int64_t k = 0; k < samples; ++k)
      if (batch.mask[k][i].item<double>() != 0) {
        sample.push_back(k), feature.push_back(i), swapped.push_back((k + 1 + i) % samples);
      }
  const auto tensor = [](const std::vector<std::int64_t>& v) { return at::tensor(v, at::kLong); };
  batch.pair_mask = batch.pair_sample = tensor(sample), batch.pair_feature = tensor(feature), batch.pair_swapped = tensor(swapped);
  return batch;
}

inline at::Tensor random_parameters(const Architecture& a, RandomStream& random) {
  return random_numbers({static_cast<std::int64_t>(parameter_count(a))}, random) * 0.6;
}

}  // namespace macmi::testing
