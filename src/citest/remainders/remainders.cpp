#include "citest/remainders/remainders.hpp"

#include <algorithm>
#include <cmath>

#include "base/linear_algebra.hpp"
#include "citest/permutation/z_regression.hpp"

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
  const MatrixXd directions = base::symmetric_eigenvectors(base::transposed_product(fitted, fitted));
  return base::product(fitted, directions.rightCols(most_directions));
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

Remainder remainder(const Regressed& v, const MatrixXd& basis, const ZTerms& z) {
  const MatrixXd fitted = base::projected(basis, v.columns);
  MatrixXd left = v.columns - fitted;
  Remainder result;
  const auto n = static_cast<double>(basis.rows()), freedom = n - 1 - static_cast<double>(basis.cols());
  if (const double total = v.columns.squaredNorm(); total > 0 && freedom >= 1)
    result.left = std::min(1.0, left.squaredNorm() / freedom / (total / (n - 1)));
  result.single = v.single();
  if (result.single && v.numbers == 1) even_out_spread(left.col(0), z);
  const bool indicator = v.numbers == 0 && result.single;
  result.numbers = columns_of(left.leftCols(indicator ? 1 : static_cast<Index>(v.numbers)));
  result.fitted = columns_of(main_directions(fitted));
  result.columns = left;
  result.curves = v.curves - base::projected(basis, v.curves);
  return result;
}

/// The basis, and curves of what it explains of x and of y: what a curve around a sum of terms makes of it, as one
/// bends x and y, or takes their squares and cubes. Products of the terms would be far too many. More samples, more
/// curves.
MatrixXd with_curves_of_fitted(const MatrixXd& basis, const Regressed& x, const Regressed& y) {
  constexpr Index samples_per_curve = 100;
  constexpr std::size_t least = 3;  // the line, the square and the cube: what squares and cubes of x and y hold of z
  std::vector<VectorXd> all;
  for (const Regressed* v : {&x, &y}) {
    if (!v->single()) continue;
    const MatrixXd fitted = base::projected(basis, v->columns);
    const Eigen::ArrayXd t = normal_scores(columns_of(fitted).front());
    const std::vector<VectorXd> curves = {
        t.matrix(),       t.square().matrix(), t.cube().matrix(), (t + 1).max(0).matrix(), (t - 1).max(0).matrix(),
        t.max(0).matrix()};
    const auto count = std::clamp(static_cast<std::size_t>(basis.rows() / samples_per_curve), least, curves.size());
    all.insert(all.end(), curves.begin(), curves.begin() + static_cast<std::ptrdiff_t>(count));
  }
  return extended(basis, all);
}

/// The terms that any column of the variable asks for, or its curves.
std::vector<std::size_t> chosen_terms(const ZTerms& z, const Regressed& v) {
  std::vector<std::size_t> terms;
  for (const MatrixXd* columns : {&v.columns, &v.curves})
    for (Index c = 0; c < columns->cols(); ++c)
      for (const std::size_t t : z.chosen_for(columns->col(c)))
        if (std::count(terms.begin(), terms.end(), t) == 0) terms.push_back(t);
  return terms;
}

}  // namespace

Regressed::Regressed(const Variable& v) : numbers(v.numeric().size()) {
  const std::vector<VectorXd> all = regression_columns(v);
  const auto n = static_cast<Index>(v.samples());
  columns = as_matrix(all, n);
  const bool number = numbers == 1 && v.categorical().empty();
  curves = number
               ? as_matrix({all[0].array().square().matrix(), (all[0].array().cube() - 3 * all[0].array()).matrix()}, n)
               : MatrixXd(n, 0);
}

TargetTerms terms_for_target(const ZTerms& z, const Variable& y) {
  Regressed target(y);
  std::vector<std::size_t> terms = chosen_terms(z, target);
  MatrixXd basis = z.basis(terms);
  return {std::move(target), std::move(terms), std::move(basis)};
}

Remainders remainders(const ZTerms& z, const Variable& x, const TargetTerms& y) {
  const Regressed regressed(x);
  std::vector<std::size_t> more = chosen_terms(z, regressed);
  std::erase_if(more, [&](std::size_t t) { return std::count(y.terms.begin(), y.terms.end(), t) != 0; });
  const MatrixXd basis = with_curves_of_fitted(z.basis(y.basis, more), regressed, y.target);
  return {remainder(regressed, basis, z), remainder(y.target, basis, z), static_cast<std::size_t>(basis.cols())};
}

}  // namespace macmi::citest
