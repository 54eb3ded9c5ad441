#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <numeric>
#include <span>
#include <vector>

namespace macmi::knn {

/// A k-d tree with bounding boxes and large leaves whose coordinates lie packed, one row per dimension, for vector
/// scans. Rows are padded to whole vectors with `padding`, a value no query box or radius reaches.
/// T is double (distances) or an unsigned integer (ranks).
template <class T>
class KdTree {
 public:
  struct Node {
    std::uint32_t begin, end;  ///< its points in order()
    std::uint32_t right = 0;   ///< the left child follows the node; 0 marks a leaf
    std::size_t packed = 0;    ///< leaf: where its rows start
    bool is_leaf() const { return right == 0; }
    std::uint32_t count() const { return end - begin; }
  };

  KdTree(std::vector<std::span<const T>> columns, std::vector<std::uint32_t> points, std::size_t leaf_size, T padding)
      : columns_(std::move(columns)), order_(std::move(points)) {
    if (!order_.empty()) build(0, static_cast<std::uint32_t>(order_.size()), leaf_size, padding);
  }

  std::size_t dimensions() const { return columns_.size(); }
  /// Point ids; neighbours in this order are near each other in space.
  std::span<const std::uint32_t> order() const { return order_; }
  std::span<const Node> nodes() const { return nodes_; }
  const Node& node(std::uint32_t index) const { return nodes_[index]; }
  const T* low(std::uint32_t index) const { return low_.data() + index * dimensions(); }
  const T* high(std::uint32_t index) const { return high_.data() + index * dimensions(); }
  /// Row d of a leaf starts at rows(leaf) + d * row_length(leaf).
  const T* rows(const Node& leaf) const { return packed_.data() + leaf.packed; }
  /// All leaves' rows, one leaf after the other.
  std::span<const T> packed() const { return packed_; }
  static std::size_t row_length(const Node& leaf) { return (leaf.count() + lanes - 1) / lanes * lanes; }

 private:
  /// Scans take the widest vectors (64 bytes), of this type or of its half.
  static constexpr std::size_t lanes = 128 / sizeof(T);

  /// The dimension in which the points begin … end-1 spread most; `width` 0 when all are equal.
  struct Spread {
    std::size_t dimension = 0;
    T width{};
  };
  Spread widest(std::uint32_t begin, std::uint32_t end, std::vector<T>* lows, std::vector<T>* highs) const {
    Spread spread;
    for (std::size_t d = 0; d < dimensions(); ++d) {
      T low = columns_[d][order_[begin]], high = low;
      for (std::uint32_t p = begin + 1; p < end; ++p) {
        const T value = columns_[d][order_[p]];
        low = std::min(low, value);
        high = std::max(high, value);
      }
      if (lows) lows->push_back(low);
      if (highs) highs->push_back(high);
      if (high - low > spread.width) spread = {d, static_cast<T>(high - low)};
    }
    return spread;
  }

  std::uint32_t split(std::uint32_t begin, std::uint32_t end, std::size_t dimension) {
    const std::uint32_t middle = begin + (end - begin) / 2;
    const auto first = order_.begin();
    std::nth_element(first + begin, first + middle, first + end,
                     [&](std::uint32_t a, std::uint32_t b) { return columns_[dimension][a] < columns_[dimension][b]; });
    return middle;
  }

  void build(std::uint32_t begin, std::uint32_t end, std::size_t leaf_size, T padding) {
    const auto index = static_cast<std::uint32_t>(nodes_.size());
    nodes_.push_back({begin, end});
    const Spread spread = widest(begin, end, &low_, &high_);
    if (end - begin <= leaf_size || spread.width == T{}) {
      arrange(begin, end);
      return pack(nodes_[index], padding);
    }
    const std::uint32_t middle = split(begin, end, spread.dimension);
    build(begin, middle, leaf_size, padding);
    nodes_[index].right = static_cast<std::uint32_t>(nodes_.size());
    build(middle, end, leaf_size, padding);
  }

  /// Within a leaf too, points that follow each other are near each other: searches start from the last answer.
  void arrange(std::uint32_t begin, std::uint32_t end) {
    if (end - begin <= 8) return;
    const Spread spread = widest(begin, end, nullptr, nullptr);
    if (spread.width == T{}) return;
    const std::uint32_t middle = split(begin, end, spread.dimension);
    arrange(begin, middle);
    arrange(middle, end);
  }

  void pack(Node& leaf, T padding) {
    leaf.packed = packed_.size();
    packed_.resize(packed_.size() + dimensions() * row_length(leaf), padding);
    for (std::size_t d = 0; d < dimensions(); ++d)
      for (std::uint32_t p = 0; p < leaf.count(); ++p)
        packed_[leaf.packed + d * row_length(leaf) + p] = columns_[d][order_[leaf.begin + p]];
  }

  std::vector<std::span<const T>> columns_;
  std::vector<std::uint32_t> order_;
  std::vector<Node> nodes_;
  std::vector<T> low_, high_;  ///< bounding boxes, dimensions() numbers per node
  std::vector<T> packed_;
};

}  // namespace macmi::knn
