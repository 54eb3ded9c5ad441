#include "maps/training/feature_divergence.hpp"

#include <algorithm>
#include <cmath>

#include "maps/network/evaluate.hpp"
#include "maps/training/draw_batch.hpp"

namespace macmi::maps {
namespace {

constexpr std::size_t chunk = 2048, most_samples = 4096;

}  // namespace

std::vector<double> divergence_of_features(Objective& networks, const NetworkSamples& samples,
                                           std::span<const std::uint32_t> all_rows, const Recipe& recipe) {
  const Architecture& a = networks.architecture();
  MaskSampler sampler(recipe.masks, a.features.size(), recipe.most_kept);
  base::RandomStream random(base::StreamKey(recipe.seed).with("divergence"));
  std::vector<double> sums(a.features.size(), 0), counts(a.features.size(), 0);
  const auto used = all_rows.first(std::min(all_rows.size(), most_samples));
  Distribution own(a.family, a.predictions()), swapped(a.family, a.predictions());
  for (std::size_t begin = 0; begin < used.size(); begin += chunk) {
    const auto rows = used.subspan(begin, std::min(chunk, used.size() - begin));
    const TrainingBatch batch =
        draw_batch(samples, {rows.begin(), rows.end()}, a, {sampler, recipe.cover}, random, true);
    std::vector<SurrogateRow> asked;
    for (std::uint32_t mask = 0; mask < batch.masks.size(); ++mask) {
      asked.push_back({mask, batch.masks.sample[mask]});
      for (const SwappedFeature& swap : batch.swaps_of(mask))
        asked.push_back({mask, batch.masks.sample[mask], swap.feature, swap.lender});
    }
    const std::vector<float> predictions =
        networks.predict(asked, batch.masks, map_samples(networks, samples, batch.rows).data());
    for (std::size_t r = 0; r < asked.size(); ++r) {
      const auto prediction = std::span(predictions).subspan(r * a.predictions(), a.predictions());
      if (asked[r].swapped == SurrogateRow::none) {
        own.set(prediction);
        continue;
      }
      swapped.set(prediction);
      sums[asked[r].swapped] += Distribution::jeffreys(own, swapped);
      counts[asked[r].swapped] += 1;
    }
  }
  for (std::size_t f = 0; f < sums.size(); ++f) sums[f] = counts[f] > 0 ? sums[f] / counts[f] : std::nan("");
  return sums;
}

}  // namespace macmi::maps
