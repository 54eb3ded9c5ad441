#include "citest/z_regression.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <numeric>

namespace macmi {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// What is left of a column after regression counts as rounding below this share of its length.
constexpr double nothing_left = 1e-6;

/// The x with Φ(x) = p, for 0 < p < 1: Newton's method with Halley's correction on the normal distribution.
double normal_quantile(double p) {
  if (p > 0.5) return -normal_quantile(1 - p);
  const double t = std::sqrt(-2 * std::log(p));
  double x = -(t - (2.30753 + 0.27061 * t) / (1 + t * (0.99229 + 0.04481 * t)));  // Abramowitz & Stegun 26.2.22
  for (int step = 0; step < 3; ++step) {
    const double excess = (0.5 * std::erfc(-x / std::sqrt(2.0)) - p) * std::sqrt(2 * M_PI) * std::exp(x * x / 2);
    x -= excess / (1 + x * excess / 2);
  }
  return x;
}

/// Takes the mean out, in each category by itself.
void centre(VectorXd& column, const std::vector<std::int32_t>& category) {
  if (category.empty()) {
    column.array() -= column.mean();
    return;
  }
  std::vector<double> sum(static_cast<std::size_t>(*std::max_element(category.begin(), category.end())) + 1), count(sum.size());
  const auto cell = [&](Index i) { return static_cast<std::size_t>(category[static_cast<std::size_t>(i)]); };
  for (Index i = 0; i < column.size(); ++i) sum[cell(i)] += column[i], ++count[cell(i)];
  for (Index i = 0; i < column.size(); ++i) column[i] -= sum[cell(i)] / count[cell(i)];
}

MatrixXd basis_of(const Block& z, std::size_t n) {
  std::vector<VectorXd> scores, terms;
  if (3 * z.columns.size() <= n)  // else a regression would explain anything
    for (const auto& column : z.columns) scores.push_back(normal_scores(column));
  const auto room = [&](std::size_t more) { return 10 * (terms.size() + more) <= n; };
  terms = scores;
  for (int power = 2; power <= 5 && room(scores.size()); ++power)
    for (const VectorXd& s : scores) terms.push_back(s.array().pow(power));
  if (!scores.empty() && room(scores.size() * (scores.size() - 1) / 2))
    for (std::size_t a = 0; a < scores.size(); ++a)
      for (std::size_t b = a + 1; b < scores.size(); ++b) terms.push_back(scores[a].cwiseProduct(scores[b]));
  MatrixXd columns(static_cast<Index>(n), static_cast<Index>(terms.size()));
  for (std::size_t t = 0; t < terms.size(); ++t) {
    centre(terms[t], z.category);
    columns.col(static_cast<Index>(t)) = terms[t].normalized();
  }
  if (columns.cols() == 0) return columns;
  Eigen::ColPivHouseholderQR<MatrixXd> qr(columns.rows(), columns.cols());
  qr.setThreshold(nothing_left);
  qr.compute(columns);
  return qr.householderQ() * MatrixXd::Identity(columns.rows(), qr.rank());
}

}  // namespace

VectorXd normal_scores(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  VectorXd scores(static_cast<Index>(values.size()));
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double middle = static_cast<double>(begin + end) / 2 / static_cast<double>(order.size());
    for (std::size_t r = begin; r < end; ++r) scores[static_cast<Index>(order[r])] = normal_quantile(middle);
  }
  return scores;
}

ZRegression::ZRegression(const Block& z, std::size_t n) : category_(z.category), basis_(basis_of(z, n)) {}

VectorXd ZRegression::remainder(VectorXd column) const {
  const double length = column.norm();
  centre(column, category_);
  for (int pass = 0; pass < 2; ++pass) column -= basis_ * (basis_.transpose() * column);
  if (column.norm() <= nothing_left * length) column.setZero();
  return column;
}

}  // namespace macmi
