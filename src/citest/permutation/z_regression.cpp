#include "citest/permutation/z_regression.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/linear_algebra.hpp"

namespace macmi::citest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

/// A remainder of regression below this share of the column's length counts as rounding.
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

std::size_t room_for_terms(std::size_t n) {
  return std::min({n / samples_per_term, most_terms, std::max<std::size_t>(8, most_numbers / n)});
}

/// Classes with an indicator of their own, at most: the most frequent ones. Those of a column of labels that hardly
/// repeat would take as much room as a matrix of all samples.
constexpr std::size_t most_indicators = 64;

/// The numbers of a block as normal scores, and an indicator for each of its classes.
std::vector<VectorXd> columns_of(const knn::Block& block) {
  std::vector<VectorXd> columns;
  for (const std::vector<double>& column : block.columns) columns.push_back(normal_scores(column));
  if (block.category.empty()) return columns;
  const std::int32_t last = *std::max_element(block.category.begin(), block.category.end());
  std::vector<std::size_t> samples(static_cast<std::size_t>(last) + 1), by_samples;
  for (const std::int32_t c : block.category) ++samples[static_cast<std::size_t>(c)];
  by_samples = samples;
  std::sort(by_samples.rbegin(), by_samples.rend());
  const std::size_t least = by_samples.size() > most_indicators ? by_samples[most_indicators] + 1 : 0;
  for (std::int32_t c = 0; c <= last; ++c) {
    if (samples[static_cast<std::size_t>(c)] < least) continue;
    VectorXd& indicator = columns.emplace_back(static_cast<Index>(block.category.size()));
    for (std::size_t i = 0; i < block.category.size(); ++i)
      indicator[static_cast<Index>(i)] = block.category[i] == c ? 1 : 0;
  }
  return columns;
}

/// The columns centred, of length 1 and orthogonal to each other; as many as there are different ones.
MatrixXd orthonormal(const std::vector<VectorXd>& terms, const std::vector<std::int32_t>& category, std::size_t n) {
  MatrixXd columns(static_cast<Index>(n), static_cast<Index>(terms.size()));
  for (std::size_t t = 0; t < terms.size(); ++t) {
    VectorXd term = terms[t];
    centre(term, category);
    columns.col(static_cast<Index>(t)) = term.normalized();
  }
  return base::orthonormal_basis(columns, nothing_left);
}

/// The remainders of columns after projection on a basis, each of length 1 or 0.
MatrixXd unit_remainders(const std::vector<VectorXd>& columns, const MatrixXd& basis,
                         const std::vector<std::int32_t>& category) {
  MatrixXd left(basis.rows(), static_cast<Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    VectorXd column = columns[c];
    centre(column, category);
    left.col(static_cast<Index>(c)) = column.normalized();
  }
  left -= base::projected(basis, left);
  for (Index c = 0; c < left.cols(); ++c)
    if (const double length = left.col(c).norm(); length > nothing_left)
      left.col(c) /= length;
    else
      left.col(c).setZero();
  return left;
}

/// Powers up to the fifth and products of two scores.
std::vector<VectorXd> curved_terms(const std::vector<Term>& scores) {
  std::vector<VectorXd> terms;
  for (std::size_t a = 0; a < scores.size(); ++a) {
    for (std::size_t b = a; b < scores.size(); ++b) terms.push_back(scores[a].value.cwiseProduct(scores[b].value));
    for (int power = 3; power <= 5; ++power) terms.push_back(scores[a].value.array().pow(power).matrix());
  }
  return terms;
}

/// The columns of z and, as far as there is room, the curved terms that explain most of what the columns leave of any
/// regressed variable. A correlation of two standard errors is the least that counts.
std::vector<VectorXd> chosen_terms(const std::vector<Term>& scores, const std::vector<const knn::Block*>& regressed,
                                   const std::vector<std::int32_t>& category, std::size_t n) {
  std::vector<VectorXd> terms, variables;
  for (const Term& score : scores) terms.push_back(score.value);
  for (const knn::Block* block : regressed)
    for (VectorXd& column : columns_of(*block)) variables.push_back(std::move(column));
  const MatrixXd basis = orthonormal(terms, category, n);
  const std::vector<VectorXd> curved = curved_terms(scores);
  const MatrixXd correlations =
      base::transposed_product(unit_remainders(variables, basis, category), unit_remainders(curved, basis, category));
  const VectorXd explains = correlations.cwiseAbs2().colwise().maxCoeff().transpose();
  std::vector<std::size_t> order(curved.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) {
    return explains[static_cast<Index>(a)] > explains[static_cast<Index>(b)];
  });
  for (const std::size_t t : order) {
    if (terms.size() >= room_for_terms(n) || explains[static_cast<Index>(t)] * static_cast<double>(n) < 4) break;
    terms.push_back(curved[t]);
  }
  return terms;
}

/// Degree by degree up to the fifth: products up to the third while there is room for all of a degree, then powers
/// alone. Where products of two have no room, the terms that matter to the regressed variables.
std::vector<VectorXd> polynomial_terms(const knn::Block& z, std::size_t n,
                                       const std::vector<const knn::Block*>& regressed) {
  std::vector<Term> scores;
  if (3 * z.columns.size() <= n)  // else a regression would explain anything
    for (std::size_t d = 0; d < z.columns.size(); ++d) scores.push_back({normal_scores(z.columns[d]), d});
  std::vector<VectorXd> terms;
  const auto append = [&](const std::vector<Term>& more) {
    for (const Term& t : more) terms.push_back(t.value);
  };
  const auto fits = [&](const std::vector<Term>& more) { return terms.size() + more.size() <= room_for_terms(n); };
  const std::size_t pairs = scores.size() * (scores.size() + 1) / 2;
  if (!regressed.empty() && scores.size() > 1 && scores.size() + pairs > std::min(n / samples_per_term, most_terms))
    return chosen_terms(scores, regressed, z.category, n);
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

}  // namespace

VectorXd normal_scores(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  VectorXd scores(static_cast<Index>(values.size()));
  for (std::size_t begin = 0, end = 0; begin < order.size(); begin = end) {
    while (end < order.size() && values[order[end]] == values[order[begin]]) ++end;
    const double middle = static_cast<double>(begin + end) / 2 / static_cast<double>(order.size());
    const double score = normal_quantile(middle);
    for (std::size_t r = begin; r < end; ++r) scores[static_cast<Index>(order[r])] = score;
  }
  return scores;
}

ZRegression::ZRegression(const knn::Block& z, std::size_t n, const std::vector<const knn::Block*>& regressed)
    : category_(z.category), basis_(orthonormal(polynomial_terms(z, n, regressed), z.category, n)) {}

VectorXd ZRegression::remainder(VectorXd column) const {
  const double length = column.norm();
  centre(column, category_);
  for (int pass = 0; pass < 2; ++pass) column -= basis_ * (basis_.transpose() * column);
  if (column.norm() <= nothing_left * length) column.setZero();
  return column;
}

std::size_t ZRegression::fitted() const {
  const std::int32_t last = category_.empty() ? 0 : *std::max_element(category_.begin(), category_.end());
  return static_cast<std::size_t>(basis_.cols()) + static_cast<std::size_t>(last) + 1;
}

double share_left(const knn::Block& block, const ZRegression& z) {
  constexpr double least_freedom = 10;
  double total = 0, left = 0, n = 0;
  const auto add = [&](VectorXd column) {
    n = static_cast<double>(column.size());
    column.array() -= column.mean();
    total += column.squaredNorm();
    left += z.remainder(std::move(column)).squaredNorm();
  };
  for (VectorXd& column : columns_of(block)) add(std::move(column));
  if (!(total > 0)) return 1;
  const double freedom = n - static_cast<double>(z.fitted());
  return freedom < least_freedom ? 0 : std::min(1.0, left / freedom / (total / (n - 1)));
}

}  // namespace macmi::citest
