#pragma once
#include <Eigen/Core>
#include <cstddef>
#include <string>
#include <vector>

#include "macmi/variable.hpp"

namespace macmi::citest {

/// A variable as columns of a regression: normal scores of its numbers, zeros and ones for its levels. A level that is
/// rare, or the most frequent one, has no column.
std::vector<Eigen::VectorXd> regression_columns(const Variable& v);

/// The columns of many conditioning variables, and the curves and products of them that a regression on z may want: for
/// each number its square, its cube and hinges at five quantiles, for each two numbers their product, and products with
/// the levels of columns that have few. All depend on z alone, so that the tests of many x given the same z share them.
class ZTerms {
 public:
  explicit ZTerms(const Variable& z);

  /// Columns that always take part; at most a third of the samples, or a regression would explain anything.
  std::size_t columns() const { return static_cast<std::size_t>(base_.cols()); }
  /// The columns as they are: normal scores, and zeros and ones.
  const Eigen::MatrixXd& weights() const { return weights_; }
  /// The terms that explain what the columns leave of `column`: the best is taken, what it explains removed, the next
  /// one chosen for the rest, until none explains more than chance would (orthogonal matching pursuit).
  std::vector<std::size_t> chosen_for(const Eigen::VectorXd& column) const;
  /// An orthonormal basis of the columns and these terms.
  Eigen::MatrixXd basis(const std::vector<std::size_t>& terms) const;

 private:
  Eigen::MatrixXd weights_;
  Eigen::MatrixXd base_;   ///< orthonormal, of mean 0
  Eigen::MatrixXd terms_;  ///< what the columns leave of each term, of length 1
};

/// Equal for variables with equal values in equal order, and for no others that one will meet.
std::string content_key(const Variable& v);

}  // namespace macmi::citest
