#include "predict/sparse_polynomial.hpp"

#include <algorithm>
#include <cmath>

#include "predict/polynomial.hpp"

namespace macmi::predict {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double penalty = 3;
constexpr double most_numbers = 2e7;  // samples times products: beyond, no products are looked at

}  // namespace

SparsePolynomial::SparsePolynomial(const Design& design, const Loss& loss, std::vector<std::uint32_t> rows)
    : design_(design), loss_(loss), rows_(std::move(rows)) {
  const auto p = static_cast<std::int32_t>(design.columns.size());
  const bool products = static_cast<double>(design.samples) * p * p / 2 <= most_numbers;
  for (std::int32_t a = 0; a < p; ++a) {
    candidates_.push_back({a, -1});
    for (std::int32_t b = a; b < (products ? p : a + 1); ++b)
      if (b != a || !design.indicator[static_cast<std::size_t>(a)]) candidates_.push_back({a, b});
  }
  own_.resize(static_cast<Index>(rows_.size()), p);
  for (Index c = 0; c < p; ++c)
    for (Index r = 0; r < own_.rows(); ++r)
      own_(r, c) = design.columns[static_cast<std::size_t>(c)][rows_[static_cast<std::size_t>(r)]];
  measure_candidates();
  values_ = MatrixXd::Ones(static_cast<Index>(design.samples), 1);
  const std::vector<double> constant = loss.constant(rows_);
  scores_.resize(static_cast<Index>(design.samples), static_cast<Index>(loss.outputs()));
  for (std::size_t k = 0; k < constant.size(); ++k) scores_.col(static_cast<Index>(k)).setConstant(constant[k]);
}

double SparsePolynomial::value(const Term& term, std::size_t sample) const {
  const double first = design_.columns[static_cast<std::size_t>(term.a)][sample];
  return term.b < 0 ? first : first * design_.columns[static_cast<std::size_t>(term.b)][sample];
}

void SparsePolynomial::measure_candidates() {
  const auto n = static_cast<double>(rows_.size());
  VectorXd values(own_.rows());
  for (const Term& term : candidates_) {
    values = own_.col(term.a);
    if (term.b >= 0) values = values.cwiseProduct(own_.col(term.b));
    mean_.push_back(values.sum() / n);
    spread_.push_back(values.squaredNorm() - n * mean_.back() * mean_.back());
  }
}

std::vector<SparsePolynomial::Term> SparsePolynomial::strongest() const {
  const auto outputs = static_cast<Index>(loss_.outputs());
  MatrixXd downhill(own_.rows(), outputs);
  std::vector<double> own(loss_.outputs()), g(loss_.outputs()), h(loss_.outputs());
  for (Index r = 0; r < downhill.rows(); ++r) {
    const std::uint32_t row = rows_[static_cast<std::size_t>(r)];
    for (std::size_t k = 0; k < own.size(); ++k) own[k] = scores_(row, static_cast<Index>(k));
    loss_.steps(row, own.data(), g.data(), h.data());
    for (Index k = 0; k < outputs; ++k) downhill(r, k) = g[static_cast<std::size_t>(k)];
  }
  const VectorXd total = downhill.colwise().sum();
  const auto n = static_cast<double>(rows_.size());
  std::vector<std::pair<double, std::size_t>> strength;
  MatrixXd weighted = downhill;  // by the first factor of a product
  for (std::size_t c = 0; c < candidates_.size(); ++c) {
    const Term& term = candidates_[c];
    if (term.b < 0) weighted = own_.col(term.a).asDiagonal() * downhill;
    if (!(spread_[c] > 1e-9 * n) || std::find(terms_.begin(), terms_.end(), term) != terms_.end()) continue;
    double explained = 0;
    for (Index k = 0; k < outputs; ++k) {
      const double product = term.b < 0 ? weighted.col(k).sum() : weighted.col(k).dot(own_.col(term.b));
      const double covariance = product - mean_[c] * total[k];
      explained += covariance * covariance / spread_[c];
    }
    strength.emplace_back(-explained, c);
  }
  const std::size_t count = std::min(terms_a_round, strength.size());
  std::partial_sort(strength.begin(), strength.begin() + static_cast<std::ptrdiff_t>(count), strength.end());
  std::vector<Term> found;
  for (std::size_t t = 0; t < count; ++t) found.push_back(candidates_[strength[t].second]);
  return found;
}

void SparsePolynomial::add_round() {
  for (const Term& term : strongest()) {
    VectorXd column(values_.rows());
    for (Index i = 0; i < column.size(); ++i) column[i] = value(term, static_cast<std::size_t>(i));
    column.array() -= column.mean();
    column /= std::max(1e-9, std::sqrt(column.squaredNorm() / static_cast<double>(column.size())));
    values_.conservativeResize(Eigen::NoChange, values_.cols() + 1);
    values_.col(values_.cols() - 1) = column;
    terms_.push_back(term);
  }
  MatrixXd part(static_cast<Index>(rows_.size()), values_.cols());
  for (Index r = 0; r < part.rows(); ++r) part.row(r) = values_.row(rows_[static_cast<std::size_t>(r)]);
  scores_ = values_ * fit_terms(part, loss_, rows_, penalty);
}

}  // namespace macmi::predict
