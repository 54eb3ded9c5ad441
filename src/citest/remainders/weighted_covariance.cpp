#include "citest/remainders/weighted_covariance.hpp"

#include <algorithm>
#include <cmath>

#include "base/f_distribution.hpp"

namespace macmi::citest {
namespace {

using Eigen::ArrayXd;
using Eigen::Index;
using Eigen::MatrixXd;

/// The largest covariance of a group, and how many there are.
class Group {
 public:
  void look(const ArrayXd& products) {
    const double n = static_cast<double>(products.size()), sum = products.sum();
    const double spread = products.square().sum() - sum * sum / n;
    ++count_;
    if (spread > 0) largest_ = std::max(largest_, std::abs(sum) / std::sqrt(spread));
  }
  void look(const MatrixXd& x, const MatrixXd& y) {
    for (Index a = 0; a < x.cols(); ++a)
      for (Index b = 0; b < y.cols(); ++b) look(x.col(a).array() * y.col(b).array());
  }
  WeightedCovariance judged(double n, double freedom, double share) const {
    const double deviations = largest_ * std::sqrt(freedom / n);
    return {deviations, std::min(1.0, count_ / share * base::f_upper_tail(deviations * deviations, 1, freedom))};
  }
  bool empty() const { return count_ == 0; }

 private:
  double largest_ = 0, count_ = 0;
};

}  // namespace

WeightedCovariance weighted_covariance(const Remainders& left, const MatrixXd& z) {
  const Remainder &x = left.x, &y = left.y;
  Group plain, curves, weights;
  plain.look(x.columns, y.columns);
  curves.look(x.curves.leftCols(std::min<Index>(1, x.curves.cols())),
              y.curves.leftCols(std::min<Index>(1, y.curves.cols())));
  curves.look(x.curves, y.columns);
  curves.look(x.columns, y.curves);
  for (Index a = 0; a < x.columns.cols(); ++a)
    for (Index b = 0; b < y.columns.cols(); ++b) {
      const ArrayXd products = x.columns.col(a).array() * y.columns.col(b).array();
      for (Index w = 0; w < z.cols(); ++w) weights.look(products * z.col(w).array());
    }
  if (plain.empty()) return {};
  const double n = static_cast<double>(x.columns.rows()), half = 0.5;
  const double freedom = std::max(1.0, n - 1 - static_cast<double>(left.fitted));
  const double other = curves.empty() || weights.empty() ? half : half / 2;
  WeightedCovariance best = plain.judged(n, freedom, half);
  for (const Group* group : {&curves, &weights}) {
    if (group->empty()) continue;
    if (const WeightedCovariance found = group->judged(n, freedom, other); found.p_value < best.p_value) best = found;
  }
  return best;
}

}  // namespace macmi::citest
