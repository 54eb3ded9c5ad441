#include "citest/null/fold_pairing.hpp"

#include <algorithm>
#include <numeric>

namespace macmi::citest {
namespace {

/// The permutations begin … end - 1 in ascending order of their statistic, the earlier first where two are equal.
std::vector<std::size_t> ascending(const std::vector<double>& values, std::size_t scales, std::size_t scale,
                                   std::size_t begin, std::size_t end) {
  std::vector<std::size_t> order(end - begin);
  std::iota(order.begin(), order.end(), begin);
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return values[a * scales + scale] < values[b * scales + scale];
  });
  return order;
}

}  // namespace

std::vector<double> add_by_rank(std::span<const FoldStatistics> folds, std::size_t scales, std::size_t block) {
  const std::size_t size = folds.front().values.size(), count = size / scales;
  std::vector<double> sum(size);
  for (std::size_t begin = 0; begin < count; begin += block) {
    const std::size_t end = std::min(begin + block, count);
    for (std::size_t q = 0; q < scales; ++q) {
      const std::vector<std::size_t> first = ascending(folds.front().values, scales, q, begin, end);
      for (const FoldStatistics& fold : folds) {
        const std::vector<std::size_t> order = ascending(fold.values, scales, q, begin, end);
        for (std::size_t rank = 0; rank < order.size(); ++rank)
          sum[first[rank] * scales + q] += fold.weight * fold.values[order[rank] * scales + q];
      }
    }
  }
  return sum;
}

}  // namespace macmi::citest
