#include "citest/units/freed_columns.hpp"

#include <algorithm>
#include <cmath>

#include "base/linear_algebra.hpp"
#include "citest/test_memory.hpp"

namespace macmi::citest {
namespace {

using Eigen::Index;
using Eigen::MatrixXd;
using Eigen::VectorXd;

constexpr double least_score = 8;  // squared deviations between clusters from which on a term is taken
constexpr std::size_t clusters_per_term = 4, clusters_per_column = 3;
constexpr double nothing_left = 1e-9;

std::vector<VectorXd> columns_of(const MatrixXd& matrix) {
  std::vector<VectorXd> columns;
  for (Index c = 0; c < matrix.cols(); ++c) columns.push_back(matrix.col(c));
  return columns;
}

/// Every column once for each unit, 0 elsewhere, of mean 0 within it: few units may each follow z in a way of their
/// own.
MatrixXd for_each_unit(const RowUnits& units, const MatrixXd& columns) {
  MatrixXd all = MatrixXd::Zero(columns.rows(), columns.cols() * static_cast<Index>(units.count()));
  for (Index c = 0, to = 0; c < columns.cols(); ++c)
    for (const auto& own : units.rows) {
      for (const std::uint32_t i : own) all(i, to) = columns(i, c);
      ++to;
    }
  centre_within(units, all);
  return all;
}

std::shared_ptr<const ZTerms> terms_of(const Variable& z, TestMemory* memory) {
  const auto make = [&] { return std::make_shared<const ZTerms>(z); };
  return memory ? memory->terms.get(content_key(z), make) : make();
}

/// (Σ_c S_c)² / Σ_c S_c², S_c the sum of the products in cluster c.
double score(const VectorXd& a, const VectorXd& b, const Clusters& clusters, std::vector<double>& sums) {
  sums.assign(clusters.count, 0);
  for (Index i = 0; i < a.size(); ++i) sums[clusters.of[static_cast<std::size_t>(i)]] += a[i] * b[i];
  double sum = 0, squares = 0;
  for (const double s : sums) sum += s, squares += s * s;
  return squares > 0 ? sum * sum / squares : 0;
}

/// Adds to the basis the terms that explain a column beyond chance, the best first.
class TermChoice {
 public:
  TermChoice(MatrixXd basis, MatrixXd terms, const Clusters& clusters)
      : basis_(std::move(basis)), terms_(std::move(terms)), clusters_(clusters) {
    most_ = std::max<Index>(basis_.cols(), static_cast<Index>(clusters.count / clusters_per_term));
    free_terms(basis_);
  }

  void explain(VectorXd column) {
    std::vector<double> sums;
    column -= basis_ * (basis_.transpose() * column).eval();
    while (basis_.cols() < most_) {
      Index best = -1;
      double highest = least_score;
      for (Index t = 0; t < terms_.cols(); ++t)
        if (const double s = score(terms_.col(t), column, clusters_, sums); s > highest) highest = s, best = t;
      if (best < 0) return;
      const MatrixXd wider = extended(basis_, {terms_.col(best)});
      if (wider.cols() == basis_.cols()) return;
      const MatrixXd added = wider.rightCols(1);
      basis_ = wider;
      column -= added * (added.transpose() * column).eval();
      free_terms(added);
    }
  }
  const MatrixXd& basis() const { return basis_; }

 private:
  void free_terms(const MatrixXd& of) {
    terms_ -= base::projected(of, terms_);
    for (Index t = 0; t < terms_.cols(); ++t)
      if (const double length = terms_.col(t).norm(); length > 1e-3)
        terms_.col(t) /= length;
      else
        terms_.col(t).setZero();
  }

  MatrixXd basis_, terms_;
  const Clusters& clusters_;
  Index most_;
};

MatrixXd freed(const MatrixXd& columns, const MatrixXd& basis) {
  if (basis.cols() == 0 || columns.cols() == 0) return columns;
  MatrixXd left = columns - base::projected(basis, columns);
  for (Index c = 0; c < left.cols(); ++c)  // rounding is nothing
    if (left.col(c).norm() <= nothing_left * columns.col(c).norm()) left.col(c).setZero();
  return left;
}

double share(const MatrixXd& left, const MatrixXd& columns, Index fitted) {
  const double n = static_cast<double>(columns.rows()), total = columns.squaredNorm();
  const double freedom = n - 1 - static_cast<double>(fitted);
  return total > 0 && freedom >= 1 ? std::min(1.0, left.squaredNorm() / freedom / (total / (n - 1))) : 1;
}

struct Side {
  explicit Side(const Variable& v, const RowUnits& units) : regressed(v), within(regressed.columns) {
    centre_within(units, within);
    if (units.enough()) return;
    regressed.columns = within;
    centre_within(units, regressed.curves);
  }
  Regressed regressed;
  MatrixXd within;
};

}  // namespace

void centre_within(const RowUnits& units, MatrixXd& columns) {
  for (Index c = 0; c < columns.cols(); ++c) {
    const double before = columns.col(c).norm();
    for (const auto& own : units.rows) {
      double sum = 0;
      for (const std::uint32_t i : own) sum += columns(i, c);
      for (const std::uint32_t i : own) columns(i, c) -= sum / static_cast<double>(own.size());
    }
    if (columns.col(c).norm() <= nothing_left * before) columns.col(c).setZero();
  }
}

FreedPair freed_of(const Variable& x, const Variable& y, const Variable& z, const RowUnits& units,
                   const Clusters& clusters, TestMemory* memory) {
  const Side a(x, units), b(y, units);
  const bool both = units.enough();
  const auto n = static_cast<Index>(x.samples());
  FreedPair pair;
  MatrixXd basis(n, 0), basis_within(n, 0);
  if (!z.empty()) {
    pair.z = terms_of(z, memory);
    MatrixXd columns = pair.z->basis({}), terms = pair.z->terms();
    if (!both) {
      columns = extended(MatrixXd(n, 0), columns_of(for_each_unit(units, columns)));
      terms = for_each_unit(units, terms);
    }
    const auto wide = static_cast<std::size_t>(columns.cols());
    pair.asks_all = wide * clusters_per_column <= clusters.count;
    TermChoice choice(columns, std::move(terms), clusters);
    if (pair.asks_all)
      for (const MatrixXd* side :
           {&a.regressed.columns, &a.regressed.curves, &b.regressed.columns, &b.regressed.curves})
        for (const VectorXd& column : columns_of(*side)) choice.explain(column);
    basis = choice.basis();
    if (both) {
      MatrixXd inner = basis;
      centre_within(units, inner);
      basis_within = extended(MatrixXd(n, 0), columns_of(inner));
    }
    const auto beyond_means = units.samples() - std::min(units.samples(), units.count());
    pair.asks_any = pair.asks_all || (both && wide * clusters_per_column <= beyond_means);
  }
  pair.fitted = static_cast<std::size_t>(basis.cols());
  pair.fitted_within = static_cast<std::size_t>(basis_within.cols());
  for (const auto& [from, to] : {std::pair(&a, &pair.x), std::pair(&b, &pair.y)}) {
    to->all = freed(from->regressed.columns, basis);
    to->curves = freed(from->regressed.curves, basis);
    to->within = both ? freed(from->within, basis_within) : MatrixXd(n, 0);
    to->left = share(to->all, from->regressed.columns, basis.cols());
    for (MatrixXd* columns : {&to->all, &to->within})
      if (columns->cols() > 1) *columns = base::orthonormal_basis(*columns, nothing_left);
  }
  return pair;
}

}  // namespace macmi::citest
