#include "citest/permutation/block_permutation.hpp"

#include <algorithm>
#include <map>
#include <numeric>

#include "knn/kd_tree.hpp"

namespace macmi::citest {
namespace {

/// Shuffles `block`, its places being where its samples stand in `source`. One random number serves up to 12 swaps:
/// what is left of it after a multiplication is the fraction for the next (12! is far below 2⁶⁴).
void exchange(std::span<const std::uint32_t> block, std::vector<std::uint32_t>& shuffled, base::RandomStream& random,
              std::span<std::uint32_t> source) {
  __extension__ using u128 = unsigned __int128;
  shuffled.assign(block.begin(), block.end());
  if (block.size() <= 12) {
    std::uint64_t fraction = random();
    for (std::size_t i = block.size(); i > 1; --i) {
      const u128 product = static_cast<u128>(fraction) * i;
      std::swap(shuffled[i - 1], shuffled[static_cast<std::uint64_t>(product >> 64)]);
      fraction = static_cast<std::uint64_t>(product);
    }
  } else {
    for (std::size_t i = block.size(); i > 1; --i) std::swap(shuffled[i - 1], shuffled[random.below(i)]);
  }
  for (std::size_t i = 0; i < block.size(); ++i) source[block[i]] = shuffled[i];
}

}  // namespace

BlockPermutations::BlockPermutations(const knn::Block& z, std::size_t n, std::size_t size)
    : size_(z.columns.empty() ? 0 : size) {
  std::map<std::int32_t, std::vector<std::uint32_t>> groups;
  for (std::size_t i = 0; i < n; ++i)
    groups[z.category.empty() ? 0 : z.category[i]].push_back(static_cast<std::uint32_t>(i));
  const std::vector<std::span<const double>> columns(z.columns.begin(), z.columns.end());
  order_.reserve(n);
  first_.push_back(0);
  for (auto& [category, group] : groups) {
    if (columns.size() == 1)
      std::sort(group.begin(), group.end(), [&](std::uint32_t a, std::uint32_t b) {
        return columns[0][a] != columns[0][b] ? columns[0][a] < columns[0][b] : a < b;
      });
    if (columns.size() > 1) {
      const knn::KdTree<double> tree(columns, std::move(group), 8, 0);
      group.assign(tree.order().begin(), tree.order().end());
    }
    order_.insert(order_.end(), group.begin(), group.end());
    first_.push_back(order_.size());
  }
}

void BlockPermutations::draw(const base::StreamKey& stream, std::uint64_t index,
                             std::span<std::uint32_t> source) const {
  base::RandomStream random(stream.with(index));
  std::vector<std::uint32_t> shuffled;
  for (std::size_t g = 0; g + 1 < first_.size(); ++g) {
    const std::size_t end = first_[g + 1];
    std::size_t begin = first_[g], cut = size_ == 0 ? end : begin + 1 + random.below(size_);
    for (; begin < end; begin = cut, cut += size_) {
      cut = std::min(cut, end);
      exchange(std::span(order_).subspan(begin, cut - begin), shuffled, random, source);
    }
  }
}

}  // namespace macmi::citest
