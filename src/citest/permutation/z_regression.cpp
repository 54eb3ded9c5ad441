#include "citest/permutation/z_regression.hpp"

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
  std::vector<double> sum(static_cast<std::size_t>(*std::max_element(category.begin(), category.end())) + 1),
      count(sum.size());
  const auto cell = [&](Index i) { return static_cast<std::size_t>(category[static_cast<std::size_t>(i)]); };
  for (Index i = 0; i < column.size(); ++i) sum[cell(i)] += column[i], ++count[cell(i)];
  for (Index i = 0; i < column.size(); ++i) column[i] -= sum[cell(i)] / count[cell(i)];
}

constexpr std::size_t samples_per_term = 10, most_terms = 64;  // more would take longer than the test
constexpr std::size_t most_numbers = std::size_t{1} << 23;     // terms times samples: 64 MB

/// A product of scores, the last of them of column `last` of z.
struct Term {
  VectorXd value;
  std::size_t last;
};

/// Every term times the scores of its own column, and with `products` of the later ones too.
std::vector<Term> times_scores(const std::vector<Term>& terms, const std::vector<Term>& scores, bool products) {
  std::vector<Term> result;
  for (const Term& t : terms)
    for (std::size_t d = t.last; d < (products ? scores.size() : t.last + 1); ++d)
      result.push_back({t.value.cwiseProduct(scores[d].value), d});
  return result;
}

/// Degree by degree up to the fifth: products up to the third while there is room for all of a degree, then powers
/// alone.
std::vector<VectorXd> polynomial_terms(const Block& z, std::size_t n) {
  std::vector<Term> scores;
  if (3 * z.columns.size() <= n)  // else a regression would explain anything
    for (std::size_t d = 0; d < z.columns.size(); ++d) scores.push_back({normal_scores(z.columns[d]), d});
  std::vector<VectorXd> terms;
  const auto append = [&](const std::vector<Term>& more) {
    for (const Term& t : more) terms.push_back(t.value);
  };
  const auto fits = [&](const std::vector<Term>& more) {
    return terms.size() + more.size() <=
           std::min({n / samples_per_term, most_terms, std::max<std::size_t>(8, most_numbers / n)});
  };
  append(scores);
  std::vector<Term> powers = scores, all = scores;
  for (int degree = 2; degree <= 5; ++degree) {
    powers = times_scores(powers, scores, false);
    all = degree <= 3 ? times_scores(all, scores, true) : std::vector<Term>();
    if (!fits(all)) all.clear();
    if (all.empty() && !fits(powers)) break;
    append(all.empty() ? powers : all);
  }
  return terms;
}

MatrixXd basis_of(const Block& z, std::size_t n) {
  const std::vector<VectorXd> terms = polynomial_terms(z, n);
  MatrixXd columns(static_cast<Index>(n), static_cast<Index>(terms.size()));
  for (std::size_t t = 0; t < terms.size(); ++t) {
    VectorXd term = terms[t];
    centre(term, z.category);
    columns.col(static_cast<Index>(t)) = term.normalized();
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
