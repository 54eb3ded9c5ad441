#include "citest/remainders/remainders.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>

namespace macmi::citest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr Index most_directions = 2;

MatrixXd as_matrix(const std::vector<VectorXd>& columns, Index n) {
  MatrixXd matrix(n, static_cast<Index>(columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    matrix.col(static_cast<Index>(c)) = columns[c];
    matrix.col(static_cast<Index>(c)).array() -= columns[c].mean();
  }
  return matrix;
}

std::vector<std::vector<double>> columns_of(const MatrixXd& matrix) {
  std::vector<std::vector<double>> columns;
  for (Index c = 0; c < matrix.cols(); ++c) columns.emplace_back(matrix.col(c).begin(), matrix.col(c).end());
  return columns;
}

/// The directions in which the fitted columns vary most; of one or two columns, the columns themselves.
MatrixXd main_directions(const MatrixXd& fitted) {
  if (fitted.cols() <= most_directions) return fitted;
  const Eigen::SelfAdjointEigenSolver<MatrixXd> solver(fitted.transpose() * fitted);
  return fitted * solver.eigenvectors().rightCols(most_directions);
}

/// Divides a remainder by the spread that a regression of its logarithm expects of it, where z explains more of the
/// spread than columns of noise would.
void even_out_spread(Eigen::Ref<VectorXd> left, const ZTerms& z) {
  constexpr double small = 0.01, deviations = 3;  // of the variance; of what noise explains
  const auto n = static_cast<double>(left.size());
  const double variance = left.squaredNorm() / n;
  if (!(variance > 0)) return;
  VectorXd spread = (left.array().square() / variance + small).log().matrix();
  spread.array() -= spread.mean();
  const MatrixXd basis = z.basis(z.chosen_for(spread));
  const VectorXd fitted = basis * (basis.transpose() * spread).eval();
  const auto count = static_cast<double>(basis.cols());
  if (n * fitted.squaredNorm() <= (count + deviations * std::sqrt(2 * count)) * spread.squaredNorm()) return;
  left.array() *= (-fitted.array() / 2).exp();
}

Remainder remainder(const Variable& v, const MatrixXd& basis, const ZTerms& z) {
  const Index n = basis.rows();
  const std::vector<VectorXd> columns = regression_columns(v);
  const MatrixXd whole = as_matrix(columns, n), fitted = basis * (basis.transpose() * whole).eval();
  MatrixXd left = whole - fitted;
  Remainder result;
  const auto freedom = static_cast<double>(n - 1 - basis.cols());
  if (const double total = whole.squaredNorm(); total > 0 && freedom >= 1)
    result.left = std::min(1.0, left.squaredNorm() / freedom / (total / static_cast<double>(n - 1)));
  result.single = columns.size() == 1;
  if (result.single && !v.numeric().empty()) even_out_spread(left.col(0), z);
  const bool indicator = v.numeric().empty() && result.single;
  result.numbers = columns_of(left.leftCols(indicator ? 1 : static_cast<Index>(v.numeric().size())));
  result.fitted = columns_of(main_directions(fitted));
  result.columns = left;
  return result;
}

}  // namespace

std::vector<std::size_t> chosen_terms(const ZTerms& z, const Variable& v) {
  std::vector<std::size_t> terms;
  for (const VectorXd& column : regression_columns(v))
    for (const std::size_t t : z.chosen_for(column))
      if (std::count(terms.begin(), terms.end(), t) == 0) terms.push_back(t);
  return terms;
}

Remainders remainders(const ZTerms& z, const std::vector<std::size_t>& terms, const Variable& x, const Variable& y) {
  const MatrixXd basis = z.basis(terms);
  return {remainder(x, basis, z), remainder(y, basis, z), static_cast<std::size_t>(basis.cols())};
}

}  // namespace macmi::citest
