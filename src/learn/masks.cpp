#include "learn/masks.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace macmi {
namespace {

std::vector<double> size_probabilities(MaskRule rule, std::size_t features, std::size_t most) {
  std::vector<double> p(most, 1.0);
  if (rule == MaskRule::uniform_masks) {
    // Proportional to the binomial coefficients, relative to the largest size's so that they stay finite.
    const auto log_choose = [&](std::size_t k) {
      const auto m = static_cast<double>(features), s = static_cast<double>(k);
      return std::lgamma(m + 1) - std::lgamma(s + 1) - std::lgamma(m - s + 1);
    };
    double largest = 0;
    for (std::size_t k = 1; k <= most; ++k) largest = std::max(largest, log_choose(k));
    for (std::size_t k = 1; k <= most; ++k) p[k - 1] = std::exp(log_choose(k) - largest);
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
  std::iota(order_.begin(), order_.end(), std::size_t{0});
}

std::size_t MaskSampler::draw_size(RandomStream& random) const {
  double u = random.uniform();
  std::size_t size = 1;
  while (size < sizes_.size() && u >= sizes_[size - 1]) u -= sizes_[size++ - 1];
  return size;
}

void MaskSampler::draw(RandomStream& random, std::span<float> mask) {
  const std::size_t size = draw_size(random);
  std::fill(mask.begin(), mask.end(), 0.0F);
  for (std::size_t k = 0; k < size; ++k) {
    std::swap(order_[k], order_[k + random.below(order_.size() - k)]);
    mask[order_[k]] = 1;
  }
}

std::size_t MaskSampler::draw_cover(RandomStream& random, std::vector<float>& masks) {
  const std::size_t features = order_.size();
  std::size_t drawn = 0, count = 0;
  while (drawn < features) {
    const std::size_t until = std::min(features, drawn + draw_size(random)), row = masks.size();
    masks.resize(row + features, 0.0F);
    for (; drawn < until; ++drawn) {
      std::swap(order_[drawn], order_[drawn + random.below(features - drawn)]);
      masks[row + order_[drawn]] = 1;
    }
    ++count;
  }
  return count;
}

std::vector<std::int64_t> random_permutation(std::size_t n, RandomStream& random) {
  std::vector<std::int64_t> order(n);
  std::iota(order.begin(), order.end(), std::int64_t{0});
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace macmi
