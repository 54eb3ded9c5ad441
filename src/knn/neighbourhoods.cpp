#include "knn/neighbourhoods.hpp"

#include <algorithm>
#include <functional>
#include <limits>
#include <map>
#include <numeric>
#include <tuple>

#include "base/parallel.hpp"
#include "knn/kth_distance.hpp"
#include "knn/rank_boxes.hpp"

namespace macmi::knn {
namespace {

/// The samples of each combination of categories.
std::vector<std::vector<std::uint32_t>> cells(const JointSample& sample) {
  const auto code = [](const Block& block, std::size_t i) { return block.category.empty() ? 0 : block.category[i]; };
  if (sample.x.category.empty() && sample.y.category.empty() && sample.z.category.empty()) {
    std::vector<std::uint32_t> all(sample.n);
    std::iota(all.begin(), all.end(), 0u);
    return {std::move(all)};
  }
  std::map<std::tuple<std::int32_t, std::int32_t, std::int32_t>, std::vector<std::uint32_t>> members;
  for (std::size_t i = 0; i < sample.n; ++i)
    members[{code(sample.x, i), code(sample.y, i), code(sample.z, i)}].push_back(static_cast<std::uint32_t>(i));
  std::vector<std::vector<std::uint32_t>> result;
  for (auto& [key, points] : members) result.push_back(std::move(points));
  return result;
}

std::vector<RankedColumn> rank_block(const Block& block, std::span<const double> radius, Edge edge, std::size_t threads,
                                     const Wanted& wanted) {
  std::vector<RankedColumn> ranked;
  for (const auto& column : block.columns) ranked.push_back(rank_column(column, radius, edge, threads, wanted));
  if (!block.category.empty()) ranked.push_back(rank_categories(block.category));
  return ranked;
}

std::vector<const RankedColumn*> together(std::initializer_list<const std::vector<RankedColumn>*> blocks) {
  std::vector<const RankedColumn*> all;
  for (const auto* block : blocks)
    for (const RankedColumn& column : *block) all.push_back(&column);
  return all;
}

/// One coordinate needs no search: the range of ranks, with ties, is the count once the ranks are dense in samples.
std::vector<std::uint32_t> count(const std::vector<const RankedColumn*>& columns, bool categorical, std::size_t n,
                                 std::size_t threads, const Wanted& wanted) {
  if (columns.size() != 1 || categorical) return count_in_boxes(columns, n, threads, wanted);
  std::vector<std::uint32_t> counts(n);
  for (std::size_t i = 0; i < n; ++i) counts[i] = columns[0]->high[i] - columns[0]->low[i];
  return counts;
}

}  // namespace

Neighbourhoods neighbourhoods(const JointSample& sample, std::size_t k, Edge edge, std::size_t threads,
                              std::span<const std::uint32_t> centres) {
  const std::size_t n = sample.n;
  Wanted wanted;
  if (!centres.empty()) wanted.assign(n, 0);
  for (const std::uint32_t i : centres) wanted[i] = 1;
  Neighbourhoods result;
  result.radius.resize(n);
  result.k.resize(n);

  std::vector<std::span<const double>> joint;
  for (const Block* block : {&sample.x, &sample.y, &sample.z})
    for (const auto& column : block->columns) joint.emplace_back(column);
  for (auto& points : cells(sample)) {
    const std::size_t k_cell = std::min(k, points.size() - 1);
    for (const std::uint32_t point : points) result.k[point] = static_cast<std::uint32_t>(k_cell);
    if (k_cell > 0) kth_neighbour_distances(joint, std::move(points), k_cell, threads, result.radius, wanted);
  }

  // Building trees and sorting are not parallel inside: do several at a time.
  std::vector<RankedColumn> x, y, z;
  base::run_together(threads, {[&] { x = rank_block(sample.x, result.radius, edge, threads, wanted); },
                               [&] { y = rank_block(sample.y, result.radius, edge, threads, wanted); },
                               [&] { z = rank_block(sample.z, result.radius, edge, threads, wanted); }});
  const bool x_categories = !sample.x.category.empty(), y_categories = !sample.y.category.empty(),
             z_categories = !sample.z.category.empty();
  std::vector<std::function<void()>> counts = {
      [&] {
        result.xz = count(together({&x, &z}), x_categories || z_categories, n, threads, wanted);
      },
      [&] {
        result.yz = count(together({&y, &z}), y_categories || z_categories, n, threads, wanted);
      },
      [&] { result.z = count(together({&z}), z_categories, n, threads, wanted); }};
  if (edge == Edge::closed)
    counts.emplace_back([&] { result.xyz = count_in_boxes(together({&x, &y, &z}), n, threads, wanted); });
  base::run_together(threads, counts);
  return result;
}

}  // namespace macmi::knn
