#include "citest/remainders/weighted_covariance.hpp"

#include <algorithm>
#include <cmath>

#include "base/f_distribution.hpp"

namespace macmi::citest {

WeightedCovariance weighted_covariance(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y, const Eigen::MatrixXd& z) {
  using Eigen::Index;
  const auto n = static_cast<double>(x.rows());
  double largest = 0, count = 0;
  const auto look = [&](const Eigen::ArrayXd& terms) {
    const double sum = terms.sum(), spread = terms.square().sum() - sum * sum / n;
    ++count;
    if (spread > 0) largest = std::max(largest, std::abs(sum) / std::sqrt(spread));
  };
  for (Index a = 0; a < x.cols(); ++a)
    for (Index b = 0; b < y.cols(); ++b) {
      const Eigen::ArrayXd products = x.col(a).array() * y.col(b).array();
      look(products);
      for (Index w = 0; w < z.cols(); ++w) look(products * z.col(w).array());
    }
  if (x.cols() == 1 && y.cols() == 1) {
    const Eigen::ArrayXd a = x.col(0).array(), b = y.col(0).array();
    look((a.square() - a.square().mean()) * b);
    look(a * (b.square() - b.square().mean()));
  }
  if (count == 0) return {};
  return {largest, std::min(1.0, count * base::f_upper_tail(largest * largest, 1, n - 1))};
}

}  // namespace macmi::citest
