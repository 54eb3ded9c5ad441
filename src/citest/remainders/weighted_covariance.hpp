#pragma once
#include <Eigen/Core>

#include "citest/remainders/remainders.hpp"

namespace macmi::citest {

/// The covariance of remainders that says most.
struct WeightedCovariance {
  double deviations = 0;  ///< of the largest, in standard errors
  double p_value = 1;     ///< of the largest of all
};

/// Do remainders of x and y vary together, everywhere or more where a column of z is large? Of every two columns a of x
/// and b of y and weight w: T = Σ a b w / √(Σ (a b w)² - (Σ a b w)² / n), nearly normal where x and y are independent
/// given z, whatever their spread at each z: a generalised covariance measure (Shah and Peters 2020) with weights
/// (Scheidegger, Hörrmann and Bühlmann 2022). Three groups are looked at, O(n) each covariance:
///   plain   the columns themselves
///   curves  single numbers' squares and cubes with the columns, and the two squares: bowls, waves, spreads (cubes of
///           both would see most of all what the regressions missed)
///   weights the columns with w a column of z: products of x with z, which neither shows alone
/// p is that of the largest T of a group times their number, over the group's share of the level: plain ones, which
/// most dependence has, take half. The smallest group's counts. Regressions shorten remainders, and products of two
/// more than their sum: each T is multiplied by the root of the share of the samples that is left to vary.
WeightedCovariance weighted_covariance(const Remainders& left, const Eigen::MatrixXd& z);

}  // namespace macmi::citest
