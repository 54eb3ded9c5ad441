#include "cmi/table_counts.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace macmi::estimation {
namespace {

/// Sorts by counting; samples of the same category keep their order.
void sort_by(const knn::Block& block, std::vector<std::uint32_t>& order) {
  if (block.category.empty()) return;
  std::vector<std::uint32_t> begin(order.size() + 1), sorted(order.size());
  for (const std::int32_t c : block.category) ++begin[static_cast<std::size_t>(c) + 1];
  std::partial_sum(begin.begin(), begin.end(), begin.begin());
  for (const std::uint32_t i : order) sorted[begin[static_cast<std::size_t>(block.category[i])]++] = i;
  order = std::move(sorted);
}

bool same(const knn::Block& block, std::uint32_t i, std::uint32_t j) {
  return block.category.empty() || block.category[i] == block.category[j];
}

/// The logarithms of how many samples share all of these categories with each sample.
template <std::size_t N>
std::vector<double> log_counts(const std::vector<std::uint32_t>& order, const knn::Block* const (&blocks)[N]) {
  std::vector<double> result(order.size());
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    const auto shares = [&](const knn::Block* block) { return same(*block, order[begin], order[end]); };
    while (end < order.size() && std::all_of(std::begin(blocks), std::end(blocks), shares)) ++end;
    const double value = std::log(static_cast<double>(end - begin));
    for (std::size_t p = begin; p < end; ++p) result[order[p]] = value;
  }
  return result;
}

}  // namespace

std::vector<std::uint32_t> cell_order(std::size_t n, const knn::Block& z, const knn::Block& first,
                                      const knn::Block& second) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  for (const knn::Block* block : {&second, &first, &z}) sort_by(*block, order);
  return order;
}

double table_information(const knn::JointSample& sample) {
  const auto& [n, x, y, z] = sample;
  const std::vector<std::uint32_t> by_x = cell_order(n, z, x, y), by_y = cell_order(n, z, y, knn::Block());
  const std::vector<double> in_xyz = log_counts(by_x, {&z, &x, &y}), in_z = log_counts(by_x, {&z}),
                            in_xz = log_counts(by_x, {&z, &x}), in_yz = log_counts(by_y, {&z, &y});
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) sum += in_xyz[i] + in_z[i] - in_xz[i] - in_yz[i];
  return sum / static_cast<double>(n);
}

}  // namespace macmi::estimation
