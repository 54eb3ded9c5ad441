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
  std::vector<std::vector<double>> numbers;  ///< of each numeric column, and of two classes their indicator
  std::vector<std::vector<double>> fitted;   ///< the two directions at most in which z explains most of it
  double left = 1;                           ///< the share of its variance that z leaves
  bool single = false;                       ///< one column of numbers, or two classes
};

/// What the columns of z and the terms that matter to x or to y leave of both. Terms that matter to neither cannot make
/// them dependent; terms that matter to one alone are taken out of both, so that an error in one regression meets none
/// in the other (double selection: Belloni, Chernozhukov and Hansen 2014).
struct Remainders {
  Remainder x, y;
  std::size_t fitted = 0;  ///< parameters
};

/// The terms that any column of the variable asks for.
std::vector<std::size_t> chosen_terms(const ZTerms& z, const Variable& v);

Remainders remainders(const ZTerms& z, const std::vector<std::size_t>& terms, const Variable& x, const Variable& y);

}  // namespace macmi::citest
