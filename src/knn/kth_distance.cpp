#include "knn/kth_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "knn/kd_tree.hpp"
#include "knn/leaf_scan.hpp"

namespace macmi {
namespace {

constexpr std::size_t leaf_size = 128;
constexpr double infinity = std::numeric_limits<double>::infinity();

using Tree = KdTree<double>;

double box_distance(const Tree& tree, std::uint32_t index, const double* query) {
  const double *low = tree.low(index), *high = tree.high(index);
  double distance = 0;
  for (std::size_t d = 0; d < tree.dimensions(); ++d)
    distance = std::max(distance, std::max(low[d] - query[d], query[d] - high[d]));
  return distance;
}

/// The search for one query point after the other; keeps its buffers, and the last answer as a bound for the next.
class Search {
 public:
  Search(const Tree& tree, std::size_t wanted) : tree_(tree), wanted_(wanted), last_(tree.dimensions()) {
    nearest_.resize(std::max<std::size_t>(4 * wanted, 512) + leaf_size + 8);
  }

  /// Distance to the `wanted`-th nearest point, the query itself included.
  double radius(const double* query) {
    bound_ = bound_from_last(query);
    found_ = 0;
    visit(0, query);
    // Fewer than wanted strictly below a valid upper bound: the bound itself is the answer.
    if (found_ >= wanted_) bound_ = select();
    std::copy(query, query + tree_.dimensions(), last_.begin());
    last_radius_ = bound_;
    return bound_;
  }

 private:
  /// Triangle inequality: the wanted neighbours of the last query are within last radius + distance of this one. The
  /// factor covers the rounding of both.
  double bound_from_last(const double* query) const {
    if (last_radius_ == infinity) return infinity;
    double moved = 0;
    for (std::size_t d = 0; d < last_.size(); ++d) moved = std::max(moved, std::abs(query[d] - last_[d]));
    const double bound = (last_radius_ + moved) * (1 + 0x1p-49);
    return bound > 0 ? bound : std::numeric_limits<double>::min();
  }

  double select() {
    const auto kth = nearest_.begin() + static_cast<std::ptrdiff_t>(wanted_ - 1);
    std::nth_element(nearest_.begin(), kth, nearest_.begin() + static_cast<std::ptrdiff_t>(found_));
    return *kth;
  }

  void visit(std::uint32_t index, const double* query) {
    const Tree::Node& node = tree_.node(index);
    if (!node.is_leaf()) return visit_children(index + 1, node.right, query);
    const std::size_t length = Tree::row_length(node);
    if (found_ + length + 8 > nearest_.size()) nearest_.resize(found_ + length + 8);
    found_ += distances_below(tree_.rows(node), tree_.dimensions(), length, query, bound_, nearest_.data() + found_);
    if (found_ >= std::max<std::size_t>(2 * wanted_, 256)) {
      bound_ = select();
      found_ = wanted_;
    }
  }

  void visit_children(std::uint32_t left, std::uint32_t right, const double* query) {
    double near = box_distance(tree_, left, query), far = box_distance(tree_, right, query);
    if (far < near) {
      std::swap(near, far);
      std::swap(left, right);
    }
    if (near < bound_) visit(left, query);
    if (far < bound_) visit(right, query);
  }

  const Tree& tree_;
  std::size_t wanted_;
  std::vector<double> nearest_, last_;
  std::size_t found_ = 0;
  double bound_ = infinity, last_radius_ = infinity;
};

}  // namespace

void kth_neighbour_distances(const std::vector<std::span<const double>>& columns, std::vector<std::uint32_t> points,
                             std::size_t k, std::size_t threads, std::span<double> radius) {
  if (columns.empty()) {  // nothing but categories: all are at distance 0
    for (const std::uint32_t point : points) radius[point] = 0;
    return;
  }
  const Tree tree(columns, std::move(points), leaf_size, infinity);
  parallel_for(tree.order().size(), 256, threads, [&](std::size_t begin, std::size_t end) {
    Search search(tree, k + 1);
    std::vector<double> query(columns.size());
    for (std::size_t p = begin; p < end; ++p) {
      const std::uint32_t point = tree.order()[p];
      for (std::size_t d = 0; d < columns.size(); ++d) query[d] = columns[d][point];
      radius[point] = search.radius(query.data());
    }
  });
}

}  // namespace macmi
