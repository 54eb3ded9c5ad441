#include "citest/engines/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace macmi::citest {
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

/// Grids of fewer units per step than this would have their scale changed noticeably.
constexpr double least_spacing = 128;

std::vector<std::int32_t> quantise(const std::vector<double>& values, double unit, bool& grids_kept) {
  std::vector<double> distinct = values;
  std::sort(distinct.begin(), distinct.end());
  distinct.erase(std::unique(distinct.begin(), distinct.end()), distinct.end());
  const double low = distinct.front();
  const double step = distinct.size() > 1 && distinct.size() < values.size() ? grid_step(distinct) : 0;
  const double spacing = std::floor(step / unit);
  grids_kept = grids_kept && (step == 0 || spacing >= least_spacing);
  std::vector<std::int32_t> result;
  result.reserve(values.size());
  for (const double v : values)
    result.push_back(static_cast<std::int32_t>(spacing >= least_spacing ? std::round((v - low) / step) * spacing
                                                                        : std::round((v - low) / unit)));
  return result;
}

LatticeBlock quantise(const knn::Block& block, double unit, bool& grids_kept) {
  LatticeBlock result;
  for (const auto& column : block.columns) result.columns.push_back(quantise(column, unit, grids_kept));
  result.category = block.category;
  return result;
}

/// The distance between two samples; `limit` or more where it is at least that.
double distance(const knn::JointSample& sample, std::size_t i, std::size_t j, double limit) {
  double d = 0;
  for (const knn::Block* block : {&sample.z, &sample.y, &sample.x}) {  // z first: it tells most samples apart
    if (!block->category.empty() && block->category[i] != block->category[j])
      return std::numeric_limits<double>::infinity();
    for (const auto& column : block->columns)
      if (d = std::max(d, std::abs(column[i] - column[j])); d >= limit) return d;
  }
  return d;
}

/// The distance to the k-th neighbour of sample i: the largest of a heap of the k + 1 nearest, i itself among them.
double kth_distance(const knn::JointSample& sample, std::size_t i, std::size_t k) {
  constexpr double infinity = std::numeric_limits<double>::infinity();
  std::vector<double> nearest(std::min(k, sample.n - 1) + 1, infinity);
  const auto visit = [&](std::size_t j) {
    const double d = distance(sample, i, j, nearest.front());
    if (d >= nearest.front()) return;
    std::pop_heap(nearest.begin(), nearest.end());
    nearest.back() = d;
    std::push_heap(nearest.begin(), nearest.end());
  };
  // From i outwards: samples come in the order of space, and the heap is soon what it will be.
  for (std::size_t j = i; j < sample.n; ++j) visit(j);
  for (std::size_t j = i; j-- > 0;) visit(j);
  return nearest.front();
}

knn::Block as_block(const LatticeBlock& block) {
  knn::Block result;
  for (const auto& column : block.columns) result.columns.emplace_back(column.begin(), column.end());
  result.category = block.category;
  return result;
}

}  // namespace

LatticeSample to_lattice(const knn::JointSample& sample, std::int32_t range) {
  double widest = 0;
  for (const knn::Block* block : {&sample.x, &sample.y, &sample.z})
    for (const auto& column : block->columns) {
      const auto [low, high] = std::minmax_element(column.begin(), column.end());
      widest = std::max(widest, *high - *low);
    }
  const double unit = widest > 0 ? widest / range : 1;
  LatticeSample result;
  result.n = sample.n;
  result.range = range;
  result.unit = unit;
  result.x = quantise(sample.x, unit, result.grids_kept);
  result.y = quantise(sample.y, unit, result.grids_kept);
  result.z = quantise(sample.z, unit, result.grids_kept);
  return result;
}

double median_radius(const knn::JointSample& sample, std::size_t k, double unit) {
  std::vector<double> radii;
  const std::size_t step = std::max<std::size_t>(1, sample.n / 64);
  for (std::size_t i = 0; i < sample.n; i += step)
    if (const double d = kth_distance(sample, i, k); d > 0 && std::isfinite(d)) radii.push_back(d / unit);
  if (radii.empty()) return std::numeric_limits<double>::infinity();
  const auto middle = radii.begin() + static_cast<std::ptrdiff_t>(radii.size() / 2);
  std::nth_element(radii.begin(), middle, radii.end());
  return *middle;
}

knn::JointSample as_joint_sample(const LatticeSample& sample) {
  return {sample.n, as_block(sample.x), as_block(sample.y), as_block(sample.z)};
}

}  // namespace macmi::citest
