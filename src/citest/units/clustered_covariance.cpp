#include "citest/units/clustered_covariance.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/f_distribution.hpp"
#include "citest/null/residual_correlation.hpp"

namespace macmi::citest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

constexpr double share_of_all = 0.4, share_of_within = 0.4, share_of_others = 0.2;
constexpr double least_p = 1e-300;

/// Columns side by side, and where each part begins.
Index append(MatrixXd& all, const MatrixXd& more) {
  const Index first = all.cols();
  all.conservativeResize(more.rows(), first + more.cols());
  all.rightCols(more.cols()) = more;
  return first;
}

using Pairs = std::vector<std::pair<Index, Index>>;

void add_pairs(Index first_a, Index count_a, Index first_b, Index count_b, Pairs& pairs) {
  for (Index a = 0; a < count_a; ++a)
    for (Index b = 0; b < count_b; ++b) pairs.emplace_back(first_a + a, first_b + b);
}

/// The share of `total` that `fitted` parameters leave, of clusters or of samples.
double freedom_left(double total, double fitted) {
  return std::max(0.05, (total - 1 - fitted) / std::max(1.0, total - 1));
}

}  // namespace

ClusteredCovariance::ClusteredCovariance(const FreedPair& pair, const Clusters& clusters, std::size_t units,
                                         bool exchange_y)
    : clusters_(clusters) {
  const FreedColumns &x = exchange_y ? pair.y : pair.x, &y = exchange_y ? pair.x : pair.y;
  const Index xa = append(exchanged_, x.all), ya = append(fixed_, y.all);
  const Index xc = append(exchanged_, x.curves), yc = append(fixed_, y.curves);
  const Index xw = append(exchanged_, x.within), yw = append(fixed_, y.within);
  const double of_clusters = freedom_left(static_cast<double>(clusters.count), static_cast<double>(pair.fitted));
  const double of_samples = freedom_left(static_cast<double>(x.all.rows()) - static_cast<double>(units),
                                         static_cast<double>(pair.fitted_within));
  Pairs all, curves, weights, within;
  if (pair.asks_all && !x.all.isZero(0) && !y.all.isZero(0)) {
    add_pairs(xa, x.all.cols(), ya, y.all.cols(), all);
    add_pairs(xc, x.curves.cols(), ya, y.all.cols(), curves);
    add_pairs(xa, x.all.cols(), yc, y.curves.cols(), curves);
    add_pairs(xc, std::min<Index>(1, x.curves.cols()), yc, std::min<Index>(1, y.curves.cols()), curves);
    if (pair.z)
      for (Index w = 0; w < pair.z->weights().cols(); ++w) {
        const MatrixXd weighted = (y.all.array().colwise() * pair.z->weights().col(w).array()).matrix();
        add_pairs(xa, x.all.cols(), append(fixed_, weighted), weighted.cols(), weights);
      }
  }
  if (!x.within.isZero(0) && !y.within.isZero(0)) add_pairs(xw, x.within.cols(), yw, y.within.cols(), within);
  for (Group group :
       {Group{all, share_of_all, of_clusters}, Group{within, share_of_within, of_samples},
        Group{curves, share_of_others / 2, of_clusters}, Group{weights, share_of_others / 2, of_clusters}})
    if (!group.pairs.empty()) groups_.push_back(std::move(group));
}

/// |T| of all pairs, group after group.
std::vector<double> ClusteredCovariance::scores(std::span<const std::uint32_t> source) const {
  std::vector<double> values, sums(clusters_.count);
  for (const Group& group : groups_)
    for (const auto& [a, b] : group.pairs) {
      std::fill(sums.begin(), sums.end(), 0.0);
      const double *x = exchanged_.col(a).data(), *y = fixed_.col(b).data();
      for (std::size_t i = 0; i < source.size(); ++i) sums[clusters_.of[i]] += x[source[i]] * y[i];
      double sum = 0, squares = 0;
      for (const double s : sums) sum += s, squares += s * s;
      values.push_back(squares > 0 ? std::abs(sum) / std::sqrt(squares) : 0);
    }
  return values;
}

double ClusteredCovariance::looked_at(std::span<const std::uint32_t> source, bool freed) const {
  const std::vector<double> deviations = scores(source);
  const double others = std::max(1.0, static_cast<double>(clusters_.count) - 1);
  double shares = 0, smallest = 1;
  for (const Group& group : groups_) shares += group.share;
  auto next = deviations.begin();
  for (const Group& group : groups_) {
    const auto end = next + static_cast<std::ptrdiff_t>(group.pairs.size());
    const double freedom = freed ? group.freedom : 1, count = static_cast<double>(group.pairs.size());
    const double largest = *std::max_element(next, end), sum = std::inner_product(next, end, next, 0.0);
    double p = count * base::f_upper_tail(largest * largest * freedom, 1, others);
    if (count > 1) p = 2 * std::min(p, base::f_upper_tail(sum / count * freedom, count, others));
    smallest = std::min(smallest, p * shares / group.share);
    next = end;
  }
  const double information = -std::log(std::max(smallest, least_p)) / static_cast<double>(source.size());
  return root_of_trace(-std::expm1(-2 * information));
}

double ClusteredCovariance::observed() const {
  std::vector<std::uint32_t> identity(clusters_.of.size());
  std::iota(identity.begin(), identity.end(), 0U);
  return looked_at(identity, true);
}

double ClusteredCovariance::permuted(std::span<const std::uint32_t> source) const {
  return looked_at(source, false);
}

}  // namespace macmi::citest
