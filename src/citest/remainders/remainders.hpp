#pragma once
#include <cstddef>
#include <vector>

#include "citest/remainders/z_terms.hpp"
#include "macmi/variable.hpp"

namespace macmi::citest {

/// One variable freed of what z explains of it: of its mean and, for a single column of numbers, of its spread. (A
/// common cause of two spreads, as of returns in a restless market, makes remainders dependent that are independent
/// given it.)
struct Remainder {
  Eigen::MatrixXd columns;                   ///< of its numbers and of the indicators of its levels
  Eigen::MatrixXd curves;                    ///< of the square and the cube of a single column of numbers
  std::vector<std::vector<double>> numbers;  ///< of each numeric column, and of two classes their indicator
  std::vector<std::vector<double>> fitted;   ///< the two directions at most in which z explains most of it
  double left = 1;                           ///< the share of its variance that z leaves
  bool single = false;                       ///< one column of numbers, or two classes
};

/// The parts of x and y left by the columns of z and by the terms that matter to either. Terms that matter to neither
/// cannot make them dependent; terms that matter to one alone are taken out of both, so that an error in one regression
/// meets none in the other (double selection: Belloni, Chernozhukov and Hansen 2014).
struct Remainders {
  Remainder x, y;
  std::size_t fitted = 0;  ///< parameters
};

/// A variable as the regression sees it.
struct Regressed {
  explicit Regressed(const Variable& v);
  Eigen::MatrixXd columns;  ///< of mean 0: normal scores of its numbers, zeros and ones for its levels
  Eigen::MatrixXd curves;   ///< of a single column of numbers, its square and its cube less the part along the line
  std::size_t numbers = 0;  ///< the first of the columns
  bool single() const { return columns.cols() == 1; }
};

/// The target, the terms that it asks for, and a basis of them: the same for all x given the same z.
struct TargetTerms {
  Regressed target;
  std::vector<std::size_t> terms;
  Eigen::MatrixXd basis;
};
TargetTerms terms_for_target(const ZTerms& z, const Variable& y);

Remainders remainders(const ZTerms& z, const Variable& x, const TargetTerms& y);

}  // namespace macmi::citest
