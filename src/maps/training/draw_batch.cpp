#include "maps/training/draw_batch.hpp"

#include "base/random_permutation.hpp"

namespace macmi::maps {
namespace {

bool is_known(const NetworkSamples& samples, std::size_t features, std::uint32_t row, std::uint32_t feature) {
  return samples.known.empty() || samples.known[row * features + feature] != 0;
}

void draw_swaps(const NetworkSamples& samples, const Architecture& a, base::RandomStream& random,
                TrainingBatch& batch) {
  const std::size_t m = a.features.size();
  std::vector<std::vector<std::uint32_t>> shuffles(m);
  for (std::vector<std::uint32_t>& shuffle : shuffles) shuffle = base::random_permutation(batch.rows.size(), random);
  batch.first_swap = {0};
  for (std::size_t mask = 0; mask < batch.masks.size(); ++mask) {
    for (const std::uint32_t i : batch.masks.features(mask)) {
      if (a.features[i].encoder == Encoder::identity) continue;
      const std::uint32_t lender = shuffles[i][batch.masks.sample[mask]];
      if (is_known(samples, m, batch.rows[lender], i)) batch.swaps.push_back({i, lender});
    }
    batch.first_swap.push_back(static_cast<std::uint32_t>(batch.swaps.size()));
  }
}

}  // namespace

MaskRows draw_masks(MaskDraw draw, base::RandomStream& random, const NetworkSamples& samples,
                    std::span<const std::uint32_t> rows) {
  MaskRows masks;
  const std::size_t features = draw.sampler.features();
  const auto add = [&](std::size_t k, std::vector<std::uint32_t> kept) {
    std::erase_if(kept, [&](std::uint32_t i) { return !is_known(samples, features, rows[k], i); });
    masks.add(static_cast<std::uint32_t>(k), kept);
  };
  for (std::size_t k = 0; k < rows.size(); ++k) {
    if (!draw.cover) {
      add(k, draw.sampler.draw(random));
      continue;
    }
    for (std::vector<std::uint32_t>& kept : draw.sampler.draw_cover(random)) add(k, std::move(kept));
  }
  return masks;
}

TrainingBatch draw_batch(const NetworkSamples& samples, std::vector<std::uint32_t> rows,
                         const Architecture& architecture, MaskDraw draw, base::RandomStream& random, bool with_swaps) {
  TrainingBatch batch;
  batch.rows = std::move(rows);
  batch.masks = draw_masks(draw, random, samples, batch.rows);
  if (with_swaps) draw_swaps(samples, architecture, random, batch);
  return batch;
}

}  // namespace macmi::maps
