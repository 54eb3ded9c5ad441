#include "citest/engines/spatial_order.hpp"

#include <map>

#include "knn/kd_tree.hpp"

namespace macmi::citest {
namespace {

knn::Block reordered(const knn::Block& block, const std::vector<std::uint32_t>& order) {
  knn::Block result;
  for (const auto& column : block.columns) {
    std::vector<double>& values = result.columns.emplace_back();
    values.reserve(order.size());
    for (const std::uint32_t i : order) values.push_back(column[i]);
  }
  if (!block.category.empty())
    for (const std::uint32_t i : order) result.category.push_back(block.category[i]);
  return result;
}

}  // namespace

estimation::PreparedSample in_order(estimation::PreparedSample prepared, const std::vector<std::uint32_t>& order) {
  const knn::JointSample& sample = prepared.sample;
  std::vector<std::size_t> rows;
  rows.reserve(order.size());
  for (const std::uint32_t i : order) rows.push_back(prepared.rows[i]);
  prepared.rows = std::move(rows);
  prepared.sample = {sample.n, reordered(sample.x, order), reordered(sample.y, order), reordered(sample.z, order)};
  return prepared;
}

estimation::PreparedSample in_spatial_order(estimation::PreparedSample prepared) {
  const knn::JointSample& sample = prepared.sample;
  std::map<std::pair<std::int32_t, std::int32_t>, std::vector<std::uint32_t>> groups;
  const auto code = [](const knn::Block& block, std::size_t i) {
    return block.category.empty() ? 0 : block.category[i];
  };
  for (std::size_t i = 0; i < sample.n; ++i)
    groups[{code(sample.z, i), code(sample.y, i)}].push_back(static_cast<std::uint32_t>(i));
  std::vector<std::span<const double>> columns;
  for (const auto& column : (sample.z.columns.empty() ? sample.y : sample.z).columns) columns.emplace_back(column);
  std::vector<std::uint32_t> order;
  for (auto& [key, group] : groups) {
    if (columns.empty()) {
      order.insert(order.end(), group.begin(), group.end());
      continue;
    }
    const knn::KdTree<double> tree(columns, std::move(group), 8, 0);
    order.insert(order.end(), tree.order().begin(), tree.order().end());
  }
  return in_order(std::move(prepared), order);
}

}  // namespace macmi::citest
