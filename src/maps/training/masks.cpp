#include "maps/training/masks.hpp"

#include <algorithm>
#include <numeric>

#include "base/vector/elementary.hpp"

namespace macmi::maps {
namespace {

std::vector<double> size_probabilities(MaskRule rule, std::size_t features, std::size_t most) {
  std::vector<double> p(most, 1.0);
  if (rule == MaskRule::uniform_masks) {
    // Proportional to the binomial coefficients, relative to the largest size's so that they stay finite.
    std::vector<double> log_choose(most + 1, 0);
    for (std::size_t k = 1; k <= most; ++k)
      log_choose[k] =
          log_choose[k - 1] + base::exact_log(static_cast<double>(features - k + 1) / static_cast<double>(k));
    const double largest = *std::max_element(log_choose.begin(), log_choose.end());
    for (std::size_t k = 1; k <= most; ++k) p[k - 1] = base::exact_exp(log_choose[k] - largest);
  } else if (rule == MaskRule::half_singles && most > 1) {
    p[0] = static_cast<double>(most - 1);
  }
  if (rule == MaskRule::all_kept) {
    p.assign(features, 0.0);
    p.back() = 1;
  }
  const double total = std::accumulate(p.begin(), p.end(), 0.0);
  for (double& value : p) value /= total;
  return p;
}

}  // namespace

MaskSampler::MaskSampler(MaskRule rule, std::size_t features, std::size_t most)
    : sizes_(size_probabilities(rule, features, std::clamp<std::size_t>(most, 1, features))), order_(features) {
  std::iota(order_.begin(), order_.end(), 0U);
}

std::size_t MaskSampler::draw_size(base::RandomStream& random) const {
  double u = random.uniform();
  std::size_t size = 1;
  while (size < sizes_.size() && u >= sizes_[size - 1]) u -= sizes_[size++ - 1];
  return size;
}

std::uint32_t MaskSampler::draw_feature(base::RandomStream& random, std::size_t drawn) {
  std::swap(order_[drawn], order_[drawn + random.below(order_.size() - drawn)]);
  return order_[drawn];
}

std::vector<std::uint32_t> MaskSampler::draw(base::RandomStream& random) {
  std::vector<std::uint32_t> kept(draw_size(random));
  for (std::size_t k = 0; k < kept.size(); ++k) kept[k] = draw_feature(random, k);
  std::sort(kept.begin(), kept.end());
  return kept;
}

std::vector<std::vector<std::uint32_t>> MaskSampler::draw_cover(base::RandomStream& random) {
  std::vector<std::vector<std::uint32_t>> masks;
  for (std::size_t drawn = 0; drawn < order_.size();) {
    const std::size_t until = std::min(order_.size(), drawn + draw_size(random));
    std::vector<std::uint32_t>& kept = masks.emplace_back();
    for (; drawn < until; ++drawn) kept.push_back(draw_feature(random, drawn));
    std::sort(kept.begin(), kept.end());
  }
  return masks;
}

}  // namespace macmi::maps
