#include "knn/kth_distance.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/parallel.hpp"
#include "knn/kd_tree.hpp"
#include "knn/leaf_scan.hpp"

namespace macmi::knn {
namespace {

constexpr std::size_t leaf_size = 192;
constexpr double infinity = std::numeric_limits<double>::infinity();

using Tree = KdTree<double>;

/// The tree's packed coordinates brought to [-1, 1] (one scale for all, so that distances keep their order) and rounded
/// to single precision. A coordinate is off by less than 2^-23, so a distance d appears as less than
/// d/scale + 2^-21; a bound in between never loses a point.
class RoughCopy {
 public:
  explicit RoughCopy(const Tree& tree) : centre_(tree.dimensions()), rows_(tree.packed().size()) {
    const double *low = tree.low(0), *high = tree.high(0);
    for (std::size_t d = 0; d < centre_.size(); ++d) {
      centre_[d] = low[d] + (high[d] - low[d]) / 2;
      scale_ = std::max(scale_, std::max(high[d] - centre_[d], centre_[d] - low[d]));
    }
    if (scale_ == 0) scale_ = 1;
    for (const Tree::Node& leaf : tree.nodes()) {
      if (!leaf.is_leaf()) continue;
      for (std::size_t d = 0; d < centre_.size(); ++d)
        for (std::size_t p = 0; p < Tree::row_length(leaf); ++p) {
          const std::size_t at = leaf.packed + d * Tree::row_length(leaf) + p;
          rows_[at] = coordinate(tree.packed()[at], d);
        }
    }
  }
  float coordinate(double value, std::size_t d) const { return static_cast<float>((value - centre_[d]) / scale_); }
  float bound(double exact) const { return static_cast<float>(exact / scale_) * (1 + 0x1p-20f) + 0x1p-20f; }
  const float* rows(const Tree::Node& leaf) const { return rows_.data() + leaf.packed; }

 private:
  std::vector<double> centre_;
  double scale_ = 0;
  std::vector<float> rows_;
};

double box_distance(const Tree& tree, std::uint32_t index, const double* query) {
  const double *low = tree.low(index), *high = tree.high(index);
  double distance = 0;
  for (std::size_t d = 0; d < tree.dimensions(); ++d)
    distance = std::max(distance, std::max(low[d] - query[d], query[d] - high[d]));
  return distance;
}

/// The k-th smallest of values[0 … count), all of them in [0, top). Bisection with vector counts: on a few hundred
/// numbers several times faster than std::nth_element, which takes over where ties would keep the bisection going.
double kth_smallest(std::vector<double>& values, std::size_t count, std::size_t k, double top) {
  double low = 0, high = std::isfinite(top) ? top : 2 * largest_below(values.data(), count, infinity);
  if (std::isfinite(high) && high > 0)
    for (int step = 0; step < 40; ++step) {
      const double middle = low + (high - low) / 2;
      const std::size_t below = count_below(values.data(), count, middle);
      if (below == k) return largest_below(values.data(), count, middle);
      (below < k ? low : high) = middle;
    }
  const auto kth = values.begin() + static_cast<std::ptrdiff_t>(k - 1);
  std::nth_element(values.begin(), kth, values.begin() + static_cast<std::ptrdiff_t>(count));
  return *kth;
}

/// The search for one query point after the other; keeps its buffers, and the last answer as a bound for the next.
class Search {
 public:
  Search(const Tree& tree, const RoughCopy& rough, std::size_t wanted)
      : tree_(tree), rough_(rough), wanted_(wanted), last_(tree.dimensions()), rough_query_(tree.dimensions()) {
    nearest_.resize(std::max<std::size_t>(4 * wanted, 512) + leaf_size + 8);
  }

  /// Distance to the `wanted`-th nearest point, the query itself included.
  double radius(const double* query) {
    // Points come in tree order, so the last answer is a good guess for this one. A guess that was too small comes back
    // as it went in, and the search is repeated with a bound that is certain.
    for (std::size_t d = 0; d < rough_query_.size(); ++d) rough_query_[d] = rough_.coordinate(query[d], d);
    const double certain = bound_from_last(query);
    const double guess = std::min(certain, 1.2 * last_radius_);
    double answer = search(query, guess);
    if (answer == guess && guess < certain) answer = search(query, certain);
    std::copy(query, query + tree_.dimensions(), last_.begin());
    return last_radius_ = answer;
  }

 private:
  /// Fewer than wanted strictly below a valid upper bound: the bound itself is the answer.
  double search(const double* query, double bound) {
    bound_ = bound;
    found_ = 0;
    visit(0, query);
    return found_ >= wanted_ ? select() : bound_;
  }

  /// Triangle inequality: the wanted neighbours of the last query are within last radius + distance of this one. The
  /// factor covers the rounding of both.
  double bound_from_last(const double* query) const {
    if (last_radius_ == infinity) return infinity;
    double moved = 0;
    for (std::size_t d = 0; d < last_.size(); ++d) moved = std::max(moved, std::abs(query[d] - last_[d]));
    const double bound = (last_radius_ + moved) * (1 + 0x1p-49);
    return bound > 0 ? bound : std::numeric_limits<double>::min();
  }

  double select() { return kth_smallest(nearest_, found_, wanted_, bound_); }

  void visit(std::uint32_t index, const double* query) {
    const Tree::Node& node = tree_.node(index);
    if (!node.is_leaf()) return visit_children(index + 1, node.right, query);
    if (std::equal(tree_.low(index), tree_.low(index) + tree_.dimensions(), tree_.high(index)))
      return take_equal(index, node.count(), query);
    const std::size_t length = Tree::row_length(node);
    if (found_ + length + 8 > nearest_.size()) nearest_.resize(found_ + length + 8);
    found_ += distances_below({tree_.rows(node), rough_.rows(node), tree_.dimensions(), length}, query,
                              rough_query_.data(), bound_, rough_.bound(bound_), nearest_.data() + found_);
    keep_nearest();
  }

  /// A leaf whose points are all the same, and may be many: they have one distance, of which no more are needed than
  /// are wanted.
  void take_equal(std::uint32_t index, std::size_t count, const double* query) {
    const double distance = box_distance(tree_, index, query);
    if (!(distance < bound_)) return;
    const std::size_t taken = std::min(count, wanted_);
    if (found_ + taken + 8 > nearest_.size()) nearest_.resize(found_ + taken + 8);
    std::fill_n(nearest_.begin() + static_cast<std::ptrdiff_t>(found_), taken, distance);
    found_ += taken;
    keep_nearest();
  }

  void keep_nearest() {
    if (found_ >= std::max<std::size_t>(4 * wanted_, 256)) {
      // Keep what is below the new bound; if fewer than wanted stay, the bound itself is the answer.
      bound_ = select();
      const auto end = nearest_.begin() + static_cast<std::ptrdiff_t>(found_);
      found_ = static_cast<std::size_t>(std::partition(nearest_.begin(), end, [&](double d) { return d < bound_; }) -
                                        nearest_.begin());
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
  const RoughCopy& rough_;
  std::size_t wanted_;
  std::vector<double> nearest_, last_;
  std::vector<float> rough_query_;
  std::size_t found_ = 0;
  double bound_ = infinity, last_radius_ = infinity;
};

}  // namespace

void kth_neighbour_distances(const std::vector<std::span<const double>>& columns, std::vector<std::uint32_t> points,
                             std::size_t k, std::size_t threads, std::span<double> radius, const Wanted& wanted) {
  if (columns.empty()) {  // nothing but categories: all are at distance 0
    for (const std::uint32_t point : points) radius[point] = 0;
    return;
  }
  const Tree tree(columns, std::move(points), leaf_size, infinity);
  const RoughCopy rough(tree);
  base::parallel_for(tree.order().size(), 256, threads, [&](std::size_t begin, std::size_t end) {
    Search search(tree, rough, k + 1);
    std::vector<double> query(columns.size());
    for (std::size_t p = begin; p < end; ++p) {
      const std::uint32_t point = tree.order()[p];
      if (!wanted.empty() && !wanted[point]) continue;
      for (std::size_t d = 0; d < columns.size(); ++d) query[d] = columns[d][point];
      radius[point] = search.radius(query.data());
    }
  });
}

}  // namespace macmi::knn
