#include "citest/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace macmi {
namespace {

/// The step of the regular grid that all of the sorted distinct values lie on, or 0.
double grid_step(const std::vector<double>& distinct) {
  double step = std::numeric_limits<double>::infinity();
  for (std::size_t i = 1; i < distinct.size(); ++i) step = std::min(step, distinct[i] - distinct[i - 1]);
  const double span = distinct.back() - distinct.front();
  if (!(step > 0) || span / step > 1e5) return 0;  // finer grids are as good as continuous
  step = span / std::round(span / step);           // the least biased by rounding
  for (const double v : distinct) {
    const double multiple = (v - distinct.front()) / step;
    if (std::abs(multiple - std::round(multiple)) > 1e-6) return 0;
  }
  return step;
}

struct Column {
  std::vector<double> sorted, distinct;
  explicit Column(std::vector<double> values) : sorted(std::move(values)) {
    std::sort(sorted.begin(), sorted.end());
    std::unique_copy(sorted.begin(), sorted.end(), std::back_inserter(distinct));
  }
};

std::vector<std::int32_t> quantise(const std::vector<double>& values, double unit, double& resolution) {
  const Column column(values);
  const double low = column.distinct.front();
  std::vector<std::int32_t> result(values.size());
  if (const double step = column.distinct.size() > 1 && column.distinct.size() < values.size() ? grid_step(column.distinct) : 0) {
    const double spacing = std::max(1.0, std::floor(step / unit));
    for (std::size_t i = 0; i < values.size(); ++i)
      result[i] = static_cast<std::int32_t>(std::round((values[i] - low) / step) * spacing);
    return result;
  }
  for (std::size_t i = 0; i < values.size(); ++i) result[i] = static_cast<std::int32_t>(std::round((values[i] - low) / unit));
  const std::size_t n = values.size();
  const double spread = column.sorted[n - 1 - n / 4] - column.sorted[n / 4];
  if (spread > 0) resolution = std::min(resolution, spread / unit);
  return result;
}

LatticeBlock quantise(const Block& block, double unit, double& resolution) {
  LatticeBlock result;
  for (const auto& column : block.columns) result.columns.push_back(quantise(column, unit, resolution));
  result.category = block.category;
  return result;
}

Block as_block(const LatticeBlock& block) {
  Block result;
  for (const auto& column : block.columns) result.columns.emplace_back(column.begin(), column.end());
  result.category = block.category;
  return result;
}

}  // namespace

LatticeSample to_lattice(const JointSample& sample) {
  double widest = 0;
  for (const Block* block : {&sample.x, &sample.y, &sample.z})
    for (const auto& column : block->columns) {
      const auto [low, high] = std::minmax_element(column.begin(), column.end());
      widest = std::max(widest, *high - *low);
    }
  const double unit = widest > 0 ? widest / lattice_range : 1;
  LatticeSample result;
  result.n = sample.n;
  result.resolution = lattice_range;
  result.x = quantise(sample.x, unit, result.resolution);
  result.y = quantise(sample.y, unit, result.resolution);
  result.z = quantise(sample.z, unit, result.resolution);
  return result;
}

JointSample as_joint_sample(const LatticeSample& sample) {
  return {sample.n, as_block(sample.x), as_block(sample.y), as_block(sample.z)};
}

}  // namespace macmi
