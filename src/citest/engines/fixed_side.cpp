#include "citest/engines/fixed_side.hpp"

#include <algorithm>
#include <map>
#include <utility>

namespace macmi::citest {
namespace {

std::vector<std::int32_t> padded(const std::vector<std::int32_t>& values, std::int32_t padding) {
  std::vector<std::int32_t> result = values;
  result.resize((values.size() / FixedSide::block + 2) * FixedSide::block, padding);
  return result;
}

void add_boxes(const std::vector<std::vector<std::int32_t>>& columns, std::size_t n, std::vector<std::int32_t>& low,
               std::vector<std::int32_t>& high) {
  for (std::size_t begin = 0; begin < n; begin += FixedSide::block)
    for (const auto& column : columns) {
      const auto first = column.begin() + static_cast<std::ptrdiff_t>(begin);
      const auto last = column.begin() + static_cast<std::ptrdiff_t>(std::min(n, begin + FixedSide::block));
      low.push_back(*std::min_element(first, last));
      high.push_back(*std::max_element(first, last));
    }
}

std::int32_t code(const std::vector<std::int32_t>& category, std::size_t i) {
  return category.empty() ? 0 : category[i];
}

}  // namespace

FixedSide::FixedSide(const StatisticProblem& problem) {
  const LatticeSample& sample = problem.sample;
  n = sample.n;
  for (const auto& column : sample.y.columns) y.push_back(padded(column, 0));
  for (const auto& column : sample.z.columns) z.push_back(padded(column, 0));
  if (!sample.y.category.empty()) y_category = padded(sample.y.category, -1);
  if (!sample.z.category.empty()) z_category = padded(sample.z.category, -1);
  boxes_of_z = !z.empty();
  add_boxes(boxes_of_z ? z : y, n, box_low, box_high);
  if (!z_category.empty()) add_boxes({z_category}, n, category_low, category_high);
  std::map<std::pair<std::int32_t, std::int32_t>, std::uint32_t> cells;
  const auto key = [&](std::size_t i) { return std::pair(code(sample.y.category, i), code(sample.z.category, i)); };
  for (std::size_t i = 0; i < n; ++i) ++cells[key(i)];
  for (std::size_t i = 0; i < n; ++i) cell_size.push_back(cells[key(i)]);
}

}  // namespace macmi::citest
