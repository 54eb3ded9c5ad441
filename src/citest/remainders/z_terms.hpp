#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <deque>
#include <mutex>
#include <string>
#include <vector>

#include "macmi/variable.hpp"

namespace macmi::citest {

/// A variable as columns of a regression: normal scores of its numbers, zeros and ones for its levels. A level that is
/// rare, or the most frequent one, has no column.
std::vector<Eigen::VectorXd> regression_columns(const Variable& v);

/// An orthonormal basis of mean 0 and further columns, each freed of those before it; those that follow are dropped.
Eigen::MatrixXd extended(const Eigen::MatrixXd& basis, const std::vector<Eigen::VectorXd>& columns);

/// The columns of the conditioning variables, and the curves and products of them that a regression on z may want: for
/// each number its square, its cube, hinges at five quantiles and waves, for each two numbers their product, and
/// products with the levels of columns that have few. All depend on z alone, so that the tests of many x given the same
/// z share them. A curve that no term follows stays in both remainders and makes them dependent, as fast waves would
/// without waves among the terms (study/search_level.cpp).
class ZTerms {
 public:
  explicit ZTerms(const Variable& z);

  /// Columns that always take part; at most a third of the samples, or a regression would explain anything.
  std::size_t columns() const { return static_cast<std::size_t>(base_.cols()); }
  /// The columns as they are: normal scores, and zeros and ones.
  const Eigen::MatrixXd& weights() const { return weights_; }
  /// The remainder of each term given the columns, of length 1.
  const Eigen::MatrixXd& terms() const { return terms_; }
  /// The terms that explain what the columns leave of `column`: the best is taken, what it explains removed, the next
  /// one chosen for the rest, until none explains much more than chance would (orthogonal matching pursuit). Products
  /// of terms with each other are made once for all tests that share them (batch pursuit: Rubinstein, Zibulevsky and
  /// Elad 2008), so that a column costs O(samples · terms + steps² · terms).
  std::vector<std::size_t> chosen_for(const Eigen::VectorXd& column) const;
  /// An orthonormal basis of the columns and these terms.
  Eigen::MatrixXd basis(const std::vector<std::size_t>& terms) const;
  /// The same, where a basis of the columns and some terms is there already.
  Eigen::MatrixXd basis(const Eigen::MatrixXd& of_some, const std::vector<std::size_t>& more) const;

 private:
  /// The products of term t with all terms.
  Eigen::Ref<const Eigen::VectorXd> products_with(Eigen::Index t) const;

  Eigen::MatrixXd weights_;
  Eigen::MatrixXd base_;  ///< orthonormal, of mean 0
  Eigen::MatrixXd terms_;
  mutable std::deque<std::once_flag> products_made_;
  mutable Eigen::MatrixXd products_;  ///< column t once products_made_[t]
};

/// Equal for variables with equal values in equal order, and for no others that one will meet.
std::string content_key(const Variable& v);

}  // namespace macmi::citest
