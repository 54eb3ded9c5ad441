#include <algorithm>
#include <cmath>
#include <limits>

#include "knn/neighbourhoods.hpp"

namespace macmi::knn {
namespace {

double distance(const Block& block, std::size_t i, std::size_t j) {
  if (!block.category.empty() && block.category[i] != block.category[j]) return std::numeric_limits<double>::infinity();
  double d = 0;
  for (const auto& column : block.columns) d = std::max(d, std::abs(column[i] - column[j]));
  return d;
}

}  // namespace

Neighbourhoods neighbourhoods_brute_force(const JointSample& sample, std::size_t k, Edge edge) {
  const std::size_t n = sample.n;
  Neighbourhoods result;
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<double> dx, dy, dz, joint;
    std::size_t reachable = 0;
    for (std::size_t j = 0; j < n; ++j) {
      if (j == i) continue;
      dx.push_back(distance(sample.x, i, j));
      dy.push_back(distance(sample.y, i, j));
      dz.push_back(distance(sample.z, i, j));
      joint.push_back(std::max({dx.back(), dy.back(), dz.back()}));
      reachable += std::isfinite(joint.back());
    }
    const std::size_t k_i = std::min(k, reachable);
    std::vector<double> sorted = joint;
    std::sort(sorted.begin(), sorted.end());
    const double radius = k_i == 0 ? 0 : sorted[k_i - 1];
    const auto inside = [&](double d) { return edge == Edge::closed || radius == 0 ? d <= radius : d < radius; };

    std::uint32_t xyz = 0, xz = 0, yz = 0, z = 0;
    for (std::size_t j = 0; j < n - 1; ++j) {
      xyz += inside(joint[j]);
      xz += inside(std::max(dx[j], dz[j]));
      yz += inside(std::max(dy[j], dz[j]));
      z += inside(dz[j]);
    }
    result.radius.push_back(radius);
    result.k.push_back(static_cast<std::uint32_t>(k_i));
    if (edge == Edge::closed) result.xyz.push_back(xyz);
    result.xz.push_back(xz);
    result.yz.push_back(yz);
    result.z.push_back(z);
  }
  return result;
}

}  // namespace macmi::knn
