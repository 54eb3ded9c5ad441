#include "citest/engines/tables/stratified_table.hpp"

#include <algorithm>

#include "cmi/table_counts.hpp"

namespace macmi::citest {
namespace {

std::uint32_t code(const knn::Block& block, std::uint32_t i) {
  return block.category.empty() ? 0 : static_cast<std::uint32_t>(block.category[i]);
}

/// The levels of samples that are sorted by them, with their counts; the most frequent last.
void append_levels(const knn::Block& block, std::span<const std::uint32_t> sorted,
                   std::vector<StratifiedTable::Level>& out) {
  const auto first = static_cast<std::ptrdiff_t>(out.size());
  for (std::size_t p = 0; p < sorted.size(); ++p) {
    if (p == 0 || code(block, sorted[p]) != code(block, sorted[p - 1])) out.push_back({code(block, sorted[p]), 0});
    ++out.back().samples;
  }
  std::stable_sort(out.begin() + first, out.end(), [](const auto& a, const auto& b) { return a.samples < b.samples; });
}

}  // namespace

StratifiedTable::StratifiedTable(const knn::JointSample& sample) {
  const std::vector<std::uint32_t> by_x = estimation::cell_order(sample.n, sample.z, sample.x, sample.y),
                                   by_y = estimation::cell_order(sample.n, sample.z, sample.y, knn::Block());
  std::vector<Part> ends;
  for (std::size_t begin = 0, end = 0; begin < by_x.size(); begin = end) {
    while (end < by_x.size() && code(sample.z, by_x[end]) == code(sample.z, by_x[begin])) ++end;
    add_stratum(sample, std::span(by_x).subspan(begin, end - begin), std::span(by_y).subspan(begin, end - begin), ends);
  }
  Part begin{0, 0};
  for (std::size_t s = 0; s < strata_.size(); begin = ends[s++]) {  // now that the lists stay where they are
    strata_[s].rows = std::span(rows_).subspan(begin.rows, ends[s].rows - begin.rows);
    strata_[s].columns = std::span(columns_).subspan(begin.columns, ends[s].columns - begin.columns);
  }
}

void StratifiedTable::add_stratum(const knn::JointSample& sample, std::span<const std::uint32_t> by_x,
                                  std::span<const std::uint32_t> by_y, std::vector<Part>& ends) {
  const auto constant = [&](const knn::Block& block, std::span<const std::uint32_t> sorted) {
    return code(block, sorted.front()) == code(block, sorted.back());
  };
  if (constant(sample.x, by_x) || constant(sample.y, by_y)) return;
  append_levels(sample.x, by_x, rows_);
  append_levels(sample.y, by_y, columns_);
  for (std::size_t p = 0; p < by_x.size(); ++p) {
    const Cell cell{code(sample.x, by_x[p]), code(sample.y, by_x[p]), 0};
    const bool first_of_stratum = p == 0;
    if (first_of_stratum || cells_.back().x != cell.x || cells_.back().y != cell.y) cells_.push_back(cell);
    ++cells_.back().samples;
  }
  strata_.push_back({static_cast<std::uint32_t>(by_x.size()), {}, {}});
  ends.push_back({rows_.size(), columns_.size()});
}

}  // namespace macmi::citest
