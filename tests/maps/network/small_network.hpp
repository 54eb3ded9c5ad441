#pragma once
#include <vector>

#include "base/random.hpp"
#include "maps/network/objective.hpp"

namespace macmi::testing {

/// Two vectors of 3 numbers, a vector of 2, a number as it is and two series of 4 steps × 2: every encoder.
inline maps::Architecture small_architecture(maps::Family family, maps::Activation activation = maps::Activation::silu,
                                             bool scaled = false) {
  maps::Architecture a;
  a.features = {{maps::Encoder::identity, 1, 1, 1}, {maps::Encoder::mlp, 1, 2, 2}, {maps::Encoder::mlp, 1, 3, 2},
                {maps::Encoder::mlp, 1, 3, 2},      {maps::Encoder::gru, 4, 2, 1}, {maps::Encoder::gru, 4, 2, 1}};
  a.map_width = 5;
  a.gru_states = 3;
  a.surrogate_width = 7;
  a.family = family;
  a.target_width = family == maps::Family::categorical ? 3 : 2;
  a.activation = activation;
  a.scaled = scaled;
  return a;
}

inline std::vector<float> random_floats(std::size_t count, base::RandomStream& random, double scale = 1) {
  std::vector<float> values(count);
  for (float& value : values) value = static_cast<float>(scale * random.normal());
  return values;
}

/// Samples with missing steps, a batch of all of them with random masks, and every swap of the regulariser.
struct SmallProblem {
  SmallProblem(const maps::Architecture& a, std::size_t n, base::RandomStream& random, bool several_masks = false) {
    samples.samples = n;
    for (const maps::MapGroup& group : maps::groups_of(a)) {
      values.push_back(random_floats(n * group.count * group.shape.steps * group.shape.width, random));
      std::vector<std::uint8_t>& there = present.emplace_back();
      if (group.shape.encoder == maps::Encoder::gru)
        for (std::size_t i = 0; i < n * group.count * group.shape.steps; ++i) there.push_back(random.normal() > -0.7);
    }
    for (std::size_t i = 0; i < n * maps::target_numbers(a); ++i)
      target.push_back(a.family == maps::Family::normal ? static_cast<float>(random.normal())
                                                        : static_cast<float>(random.below(a.target_width)));
    for (std::size_t g = 0; g < values.size(); ++g) {
      samples.values.emplace_back(values[g]);
      samples.present.emplace_back(present[g]);
    }
    samples.target = target;
    const auto m = static_cast<std::uint32_t>(a.features.size());
    batch.first_swap = {0};
    for (std::uint32_t k = 0; k < n; ++k) {
      batch.rows.push_back(k);
      for (std::uint32_t repeat = 0; repeat < (several_masks ? 1 + k % 3 : 1); ++repeat) {
        std::vector<std::uint32_t> kept;
        for (std::uint32_t i = 0; i < m; ++i)
          if (random.normal() > 0) kept.push_back(i);
        batch.masks.add(k, kept);
        for (const std::uint32_t i : kept) batch.swaps.push_back({i, static_cast<std::uint32_t>((k + 1 + i) % n)});
        batch.first_swap.push_back(static_cast<std::uint32_t>(batch.swaps.size()));
      }
    }
  }
  SmallProblem(const SmallProblem&) = delete;

  std::vector<std::vector<float>> values;
  std::vector<std::vector<std::uint8_t>> present;
  std::vector<float> target;
  maps::NetworkSamples samples;
  maps::TrainingBatch batch;
};

}  // namespace macmi::testing
