#include "baselines/matching.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/parallel.hpp"

namespace macmi::baselines {
namespace {

constexpr std::size_t neighbours = 24;
constexpr std::size_t most_sweeps = 8;
/// Samples left over are matched among themselves in blocks: all pairs of a block are looked at.
constexpr std::size_t block = 1000;

struct Ranked {
  double square;
  std::uint32_t steps, j;  ///< steps: from i to j around the circle of samples
  auto key() const { return std::tie(square, steps); }
};

}  // namespace

NearMatching::NearMatching(const Points& points, double kernel_width, std::size_t threads)
    : points_(points), scale_(-0.5 / (kernel_width * kernel_width)), nearest_(points.n) {
  const std::size_t n = points.n, kept = std::min(neighbours, n - 1);
  std::vector<std::vector<double>> squares(n);
  base::parallel_for(n, 16, threads, [&](std::size_t begin, std::size_t end) {
    std::vector<Ranked> all;
    for (std::size_t i = begin; i < end; ++i) {
      all.clear();
      for (std::size_t j = 0; j < n; ++j)
        if (j != i)
          all.push_back({squared_distance(points, i, j), static_cast<std::uint32_t>((j + n - i) % n),
                         static_cast<std::uint32_t>(j)});
      const auto less = [](const Ranked& a, const Ranked& b) { return a.key() < b.key(); };
      std::nth_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(kept - 1), all.end(), less);
      all.resize(kept);
      std::sort(all.begin(), all.end(), less);
      for (const Ranked& r : all) nearest_[i].push_back(r.j), squares[i].push_back(r.square);
    }
  });
  std::vector<std::tuple<double, std::uint32_t, std::uint32_t>> sorted;
  for (std::uint32_t i = 0; i < n; ++i)
    for (std::size_t s = 0; s < kept; ++s)
      sorted.emplace_back(squares[i][s], std::min(i, nearest_[i][s]), std::max(i, nearest_[i][s]));
  std::sort(sorted.begin(), sorted.end());
  sorted.erase(std::unique(sorted.begin(), sorted.end()), sorted.end());
  for (const auto& [square, i, j] : sorted) edges_.push_back({i, j});
}

double NearMatching::weight(std::size_t i, std::size_t j) const {
  return std::sqrt(std::max(0.0, 2 - 2 * std::exp(scale_ * squared_distance(points_, i, j))));
}

std::vector<std::uint32_t> NearMatching::pairs(std::span<const std::uint32_t> part,
                                               std::span<const std::uint32_t> avoided) const {
  const double penalty = std::sqrt(2.0);
  const auto apart = [&](std::uint32_t i, std::uint32_t j) {
    const bool unwanted = !avoided.empty() && (avoided[i] == j || avoided[j] == i);
    return weight(i, j) + (unwanted ? penalty : 0);
  };
  std::vector<std::uint32_t> partner(points_.n);
  std::iota(partner.begin(), partner.end(), 0U);
  std::vector<bool> waiting(points_.n, false);
  for (const std::uint32_t i : part) waiting[i] = true;
  const auto match = [&](std::uint32_t i, std::uint32_t j) {
    partner[i] = j, partner[j] = i;
    waiting[i] = waiting[j] = false;
  };
  for (const auto& [i, j] : edges_)
    if (waiting[i] && waiting[j] && (avoided.empty() || (avoided[i] != j && avoided[j] != i))) match(i, j);

  std::vector<std::uint32_t> left;
  for (const std::uint32_t i : part)
    if (waiting[i]) left.push_back(i);
  for (std::size_t begin = 0; begin < left.size(); begin += block) {
    const std::size_t end = std::min(left.size(), begin + block);
    std::vector<std::tuple<double, std::uint32_t, std::uint32_t>> all;
    for (std::size_t a = begin; a < end; ++a)
      for (std::size_t b = begin; b < a; ++b) all.emplace_back(apart(left[a], left[b]), left[a], left[b]);
    std::sort(all.begin(), all.end());
    for (const auto& [distance, i, j] : all)
      if (waiting[i] && waiting[j]) match(i, j);
  }

  bool better = true;
  for (std::size_t sweep = 0; better && sweep < most_sweeps; ++sweep) {
    better = false;
    for (const std::uint32_t a : part) {
      for (const std::uint32_t b : nearest_[a]) {
        const std::uint32_t a2 = partner[a], b2 = partner[b];
        if (a2 == a || b2 == b || b == a2) continue;
        const double own = apart(a, a2);
        const double near = apart(a, b);
        if (near >= own)
          break;  // b comes in increasing order: none that follows can be nearer, but for the avoided one
        if (near + apart(a2, b2) < own + apart(b, b2) - 1e-12) {
          partner[a] = b, partner[b] = a, partner[a2] = b2, partner[b2] = a2;
          better = true;
        }
      }
    }
  }
  return partner;
}

}  // namespace macmi::baselines
