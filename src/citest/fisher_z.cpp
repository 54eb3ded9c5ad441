#include "citest/fisher_z.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>

#include "base/f_distribution.hpp"
#include "base/linear_algebra.hpp"
#include "cmi/digamma.hpp"
#include "macmi/error.hpp"

namespace macmi::citest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;

/// A remainder of a unit column below this length counts as rounding.
constexpr double collinear = 1e-8;

/// Centred columns of length one; constants are left out. Scaled before centring, so that values near 1e±300 survive.
class UnitColumns {
 public:
  explicit UnitColumns(const Variable& v) : n_(static_cast<Index>(v.samples())) {
    for (const NumericColumn& column : v.numeric()) {
      Eigen::VectorXd values(n_);
      for (Index i = 0; i < n_; ++i) values[i] = column[static_cast<std::size_t>(i)];
      if (!values.allFinite())
        throw InputError(
            fmt::format("column '{}' has a value that is not a finite number: drop or impute it", column.name));
      add(std::move(values));
    }
    for (const CategoricalColumn& column : v.categorical()) add_indicators(column);
  }

  MatrixXd matrix() const {
    MatrixXd m(n_, static_cast<Index>(columns_.size()));
    for (std::size_t c = 0; c < columns_.size(); ++c) m.col(static_cast<Index>(c)) = columns_[c];
    return m;
  }

 private:
  void add(Eigen::VectorXd values) {
    const double largest = n_ ? values.cwiseAbs().maxCoeff() : 0.0;
    if (!(largest > 0)) return;
    values /= largest;
    values.array() -= values.mean();
    const double length = values.norm();
    if (length <= 1e-14 * std::sqrt(static_cast<double>(n_))) return;
    columns_.push_back(values / length);
  }

  /// One 0/1 column per category, in the order of codes.
  void add_indicators(const CategoricalColumn& column) {
    std::map<std::int32_t, std::vector<Index>> members;
    for (Index i = 0; i < n_; ++i) members[column[static_cast<std::size_t>(i)]].push_back(i);
    if (static_cast<Index>(members.size()) * 2 > n_)
      throw InputError(
          fmt::format("column '{}' has {} categories in {} samples: too many for a linear test; exclude it",
                      column.name, members.size(), n_));
    for (const auto& [code, rows] : members) {
      Eigen::VectorXd indicator = Eigen::VectorXd::Zero(n_);
      for (const Index row : rows) indicator[row] = 1;
      add(std::move(indicator));
    }
  }

  Index n_;
  std::vector<Eigen::VectorXd> columns_;
};

/// A basis of what is left of `columns` after regression on `basis`. The projection is repeated: once is not enough
/// when most of a column lies in the span ("twice is enough", Parlett 1980).
MatrixXd residual_basis(MatrixXd columns, const MatrixXd& basis) {
  for (int pass = 0; pass < 2; ++pass) columns -= base::projected(basis, columns);
  std::vector<Index> kept;
  for (Index c = 0; c < columns.cols(); ++c)
    if (columns.col(c).norm() > collinear) kept.push_back(c);
  MatrixXd left = columns(Eigen::all, kept);
  left.colwise().normalize();
  return base::orthonormal_basis(left, collinear);
}

/// True if the regression on `basis` leaves less than a fiftieth of the variance of every unit column.
bool nearly_explained(const MatrixXd& columns, const MatrixXd& basis) {
  constexpr double almost_nothing = 0.02;
  if (basis.cols() == 0 || columns.cols() == 0) return false;
  const MatrixXd explained = base::transposed_product(basis, columns);
  return 1 - explained.colwise().squaredNorm().minCoeff() < almost_nothing;
}

/// ψ'(x), as digamma: recurrence, then the asymptotic series (Abramowitz & Stegun 6.4.12).
double trigamma(double x) {
  double sum = 0;
  for (; x < 12; ++x) sum += 1 / (x * x);
  const double y = 1 / (x * x);
  return sum + 1 / x + y / 2 + y / x * (1.0 / 6 - y * (1.0 / 30 - y * (1.0 / 42 - y / 30)));
}

/// Under independence Λ is a product of independent Beta((e − i)/2, p/2), i = 0 … q − 1 (Anderson 2003, section 8.4).
void add_null_moments(double p, double q, double error_dof, CiResult& result) {
  double mean = 0, variance = 0;
  for (double i = 0; i < q; ++i) {
    const double a = (error_dof - i) / 2, b = p / 2;
    mean += estimation::digamma(a + b) - estimation::digamma(a);
    variance += trigamma(a) - trigamma(a + b);
  }
  result.null_mean = mean / 2;
  result.null_sd = std::sqrt(variance) / 2;
}

/// Rao's F for Wilks' Λ (Rao 1973, section 8c.5).
double rao_p_value(double log_lambda, double p, double q, double error_dof) {
  const double squares = p * p + q * q - 5;
  const double t = squares > 0 ? std::sqrt((p * p * q * q - 4) / squares) : 1;
  const double d1 = p * q, d2 = (error_dof + p - (p + q + 1) / 2) * t - d1 / 2 + 1;
  const double odds = std::expm1(-log_lambda / t);  // (1 − Λ^{1/t}) / Λ^{1/t}
  return base::f_upper_tail(odds * d2 / d1, d1, d2);
}

CiResult undecided(CiResult result, std::string why) {
  result.p_value = 1;
  result.notes.push_back(std::move(why));
  return result;
}

}  // namespace

CiResult fisher_z(const Variable& x, const Variable& y, const Variable& z) {
  CiResult result;
  result.rule = "fisherz";
  result.n = x.samples();
  if (y.samples() != x.samples() || (!z.empty() && z.samples() != x.samples()))
    throw InputError(
        fmt::format("x, y and z have different numbers of samples: {}, {}, {}", x.samples(), y.samples(), z.samples()));
  const MatrixXd x_columns = UnitColumns(x).matrix(), y_columns = UnitColumns(y).matrix();
  const MatrixXd z_columns = z.empty() ? MatrixXd(x_columns.rows(), 0) : UnitColumns(z).matrix();
  const double n = static_cast<double>(result.n);
  const Index most = std::max({x_columns.cols(), y_columns.cols(), z_columns.cols()});
  if (static_cast<double>(most) >= n) return undecided(result, "more columns than samples: nothing can be said");

  const MatrixXd z_basis = base::orthonormal_basis(z_columns, collinear);
  const MatrixXd x_basis = residual_basis(x_columns, z_basis), y_basis = residual_basis(y_columns, z_basis);
  result.undecidable = nearly_explained(x_columns, z_basis) || nearly_explained(y_columns, z_basis);
  const double p = static_cast<double>(x_basis.cols()), q = static_cast<double>(y_basis.cols());
  if (p == 0) return undecided(result, "x is constant or a linear function of z");
  if (q == 0) return undecided(result, "y is constant or a linear function of z");
  const double error_dof = n - 1 - static_cast<double>(z_basis.cols()) - p;
  if (error_dof - q < 1) return undecided(result, "too few samples for so many columns");

  // The canonical correlations of the residuals.
  const Eigen::VectorXd correlations = base::singular_values(base::transposed_product(x_basis, y_basis));
  double log_lambda = 0;
  for (const double r : correlations) log_lambda += std::log(std::max(1e-15, (1 - r) * (1 + r)));
  result.statistic = -log_lambda / 2;
  add_null_moments(p, q, error_dof, result);
  result.effect = result.statistic - result.null_mean;
  if (p == 1 && q == 1)
    result.p_value =
        base::normal_two_sided(std::sqrt(error_dof - 1) * std::atanh(std::min(correlations[0], 1 - 1e-15)));
  else
    result.p_value = rao_p_value(log_lambda, p, q, error_dof);
  return result;
}

}  // namespace macmi::citest
