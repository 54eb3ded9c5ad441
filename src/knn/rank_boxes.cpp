#include "knn/rank_boxes.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "base/parallel.hpp"
#include "base/vector/sort.hpp"
#include "knn/kd_tree.hpp"
#include "knn/leaf_scan.hpp"

namespace macmi::knn {
namespace {

constexpr std::size_t leaf_size = 256;

template <class Rank>
class BoxCounter {
 public:
  BoxCounter(const std::vector<const RankedColumn*>& columns, std::size_t n)
      : columns_(columns), ranks_(narrow(columns)), tree_(spans(ranks_), all_points(n), leaf_size, padding) {}

  std::vector<std::uint32_t> count(std::size_t threads, const Wanted& wanted) const {
    std::vector<std::uint32_t> counts(tree_.order().size());
    base::parallel_for(counts.size(), 256, threads, [&](std::size_t begin, std::size_t end) {
      Box box{std::vector<Rank>(columns_.size()), std::vector<Rank>(columns_.size()),
              std::vector<Rank>(columns_.size())};
      for (std::size_t p = begin; p < end; ++p) {
        const std::uint32_t point = tree_.order()[p];
        if (!wanted.empty() && !wanted[point]) continue;
        for (std::size_t d = 0; d < columns_.size(); ++d) {
          box.low[d] = static_cast<Rank>(columns_[d]->low[point]);
          box.high[d] = static_cast<Rank>(columns_[d]->high[point]);
          box.width[d] = static_cast<Rank>(box.high[d] - box.low[d]);
        }
        counts[point] = static_cast<std::uint32_t>(count(0, box) - 1);  // not the point itself
      }
    });
    return counts;
  }

 private:
  struct Box {
    std::vector<Rank> low, high, width;
  };
  static constexpr Rank padding = std::numeric_limits<Rank>::max();

  static std::vector<std::vector<Rank>> narrow(const std::vector<const RankedColumn*>& columns) {
    std::vector<std::vector<Rank>> ranks;
    for (const RankedColumn* column : columns) {
      ranks.emplace_back(column->rank.size());
      std::transform(column->rank.begin(), column->rank.end(), ranks.back().begin(),
                     [](std::uint32_t r) { return static_cast<Rank>(r); });
    }
    return ranks;
  }
  static std::vector<std::span<const Rank>> spans(const std::vector<std::vector<Rank>>& ranks) {
    return {ranks.begin(), ranks.end()};
  }
  static std::vector<std::uint32_t> all_points(std::size_t n) {
    std::vector<std::uint32_t> points(n);
    std::iota(points.begin(), points.end(), 0u);
    return points;
  }

  std::size_t count(std::uint32_t index, const Box& box) const {
    const auto& node = tree_.node(index);
    const Rank *low = tree_.low(index), *high = tree_.high(index);
    bool contained = true;
    for (std::size_t d = 0; d < columns_.size(); ++d) {
      if (low[d] > box.high[d] || high[d] < box.low[d]) return 0;
      contained &= low[d] >= box.low[d] && high[d] <= box.high[d];
    }
    if (contained) return node.count();
    if (node.is_leaf())
      return count_in_box(tree_.rows(node), columns_.size(), KdTree<Rank>::row_length(node), box.low.data(),
                          box.width.data());
    return count(index + 1, box) + count(node.right, box);
  }

  const std::vector<const RankedColumn*>& columns_;
  std::vector<std::vector<Rank>> ranks_;
  KdTree<Rank> tree_;
};

/// std::partition_point as an index, without branches to mispredict: the loop has as many steps for every input.
template <class Before>
std::size_t partition_point(const std::vector<double>& sorted, Before before) {
  const double* base = sorted.data();
  for (std::size_t length = sorted.size(); length > 1;) {
    const std::size_t half = length / 2;
    base += before(base[half - 1]) ? half : 0;
    length -= half;
  }
  return static_cast<std::size_t>(base - sorted.data()) + (before(*base) ? 1 : 0);
}

}  // namespace

RankedColumn rank_column(std::span<const double> values, std::span<const double> radius, Edge edge, std::size_t threads,
                         const Wanted& wanted) {
  const std::size_t n = values.size();
  std::vector<double> sorted(values.begin(), values.end());
  base::sort_ascending(sorted);
  RankedColumn column{std::vector<std::uint32_t>(n), std::vector<std::uint32_t>(n), std::vector<std::uint32_t>(n)};
  base::parallel_for(n, 1024, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const double value = values[i], r = radius[i];
      const bool closed = edge == Edge::closed || r == 0;
      // Rounded subtraction is monotone, so those within the radius are consecutive in the sorted order.
      const std::size_t here = partition_point(sorted, [=](double other) { return other < value; });
      column.rank[i] = static_cast<std::uint32_t>(here);
      if (!wanted.empty() && !wanted[i]) continue;
      const std::size_t first = closed ? partition_point(sorted, [=](double other) { return value - other > r; })
                                       : partition_point(sorted, [=](double other) { return value - other >= r; });
      const std::size_t last = closed ? partition_point(sorted, [=](double other) { return other - value <= r; })
                                      : partition_point(sorted, [=](double other) { return other - value < r; });
      column.low[i] = static_cast<std::uint32_t>(first);
      column.high[i] = static_cast<std::uint32_t>(last - 1);
    }
  });
  return column;
}

RankedColumn rank_categories(std::span<const std::int32_t> codes) {
  const std::vector<std::uint32_t> ranks(codes.begin(), codes.end());
  return {ranks, ranks, ranks};
}

std::vector<std::uint32_t> count_in_boxes(const std::vector<const RankedColumn*>& columns, std::size_t n,
                                          std::size_t threads, const Wanted& wanted) {
  if (columns.empty()) return std::vector<std::uint32_t>(n, static_cast<std::uint32_t>(n - 1));
  if (n < std::numeric_limits<std::uint16_t>::max())
    return BoxCounter<std::uint16_t>(columns, n).count(threads, wanted);
  return BoxCounter<std::uint32_t>(columns, n).count(threads, wanted);
}

}  // namespace macmi::knn
