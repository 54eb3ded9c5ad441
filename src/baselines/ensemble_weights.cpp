#include "baselines/ensemble_weights.hpp"

#include <algorithm>
#include <cmath>

#include "base/linear_algebra.hpp"

namespace macmi::baselines {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// The shortest w with Σ w = 1 and |rows · w| ≤ bounds.
VectorXd shortest(const MatrixXd& rows, const VectorXd& bounds) {
  const Index orders = rows.rows(), count = rows.cols();
  VectorXd best;
  std::size_t patterns = 1;
  for (Index j = 0; j < orders; ++j) patterns *= 3;
  for (std::size_t pattern = 0; pattern < patterns; ++pattern) {
    // The digits of `pattern` to base 3 say which constraints hold with equality, and on which side.
    MatrixXd equations = MatrixXd::Ones(1, count);
    VectorXd sides = VectorXd::Ones(1);
    std::size_t digits = pattern;
    for (Index j = 0; j < orders; ++j, digits /= 3) {
      if (digits % 3 == 0) continue;
      equations.conservativeResize(equations.rows() + 1, Eigen::NoChange);
      equations.bottomRows(1) = rows.row(j);
      sides.conservativeResize(sides.size() + 1);
      sides[sides.size() - 1] = digits % 3 == 1 ? bounds[j] : -bounds[j];
    }
    const VectorXd w = base::least_squares(equations, sides);
    const bool allowed = ((rows * w).cwiseAbs().array() <= bounds.array() + 1e-7).all() &&
                         (equations * w - sides).cwiseAbs().maxCoeff() < 1e-7;
    if (allowed && (best.size() == 0 || w.squaredNorm() < best.squaredNorm())) best = w;
  }
  return best;
}

}  // namespace

std::vector<double> ensemble_weights(const std::vector<double>& factors, std::size_t orders, std::size_t dimensions,
                                     std::size_t samples, double limit) {
  const auto count = static_cast<Index>(factors.size()), rows = static_cast<Index>(orders);
  const double largest = *std::max_element(factors.begin(), factors.end());
  // Powers of l / largest: the rows stay of one size, and their bounds carry the scale.
  MatrixXd powers(rows, count);
  VectorXd scale(rows);
  for (Index j = 0; j < rows; ++j) {
    const auto order = static_cast<double>(j + 1);
    for (Index l = 0; l < count; ++l) powers(j, l) = std::pow(factors[static_cast<std::size_t>(l)] / largest, order);
    scale[j] = std::pow(static_cast<double>(samples), 0.5 - order / (2 * static_cast<double>(dimensions))) *
               std::pow(largest, order);
  }
  const auto at = [&](double epsilon) { return shortest(powers, VectorXd((epsilon / scale.array()).matrix())); };
  double low = 0, high = scale.maxCoeff();  // at `high` equal weights are allowed
  VectorXd weights = at(low);
  if (weights.size() == 0 || weights.squaredNorm() > limit) {
    for (int step = 0; step < 60; ++step) {
      const double middle = 0.5 * (low + high);
      const VectorXd w = at(middle);
      (w.size() > 0 && w.squaredNorm() <= limit ? high : low) = middle;
    }
    weights = at(high);
  }
  return {weights.data(), weights.data() + weights.size()};
}

}  // namespace macmi::baselines
