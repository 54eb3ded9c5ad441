#pragma once
#include <Eigen/Core>
#include <cstddef>

namespace macmi::citest {

/// The largest of the weighted covariances of remainders.
struct WeightedCovariance {
  double deviations = 0;  ///< of the largest, in standard errors
  double p_value = 1;     ///< of the largest of all (Bonferroni)
};

/// Do remainders of x and y vary together, everywhere or more where a column of z is large? Of every column a of x, b
/// of y and weight w (none, or a column of z): T = Σ a b w / √(Σ (a b w)² - (Σ a b w)² / n), nearly normal where x and
/// y are independent given z, whatever their spread at each z: a generalised covariance measure (Shah and Peters 2020)
/// with weights (Scheidegger, Hörrmann and Bühlmann 2022). Weights see a product of x with a column of z that neither
/// shows alone. Of single columns, the square of one beside the other is looked at, too, which sees bowls. O(n) each.
WeightedCovariance weighted_covariance(const Eigen::MatrixXd& x, const Eigen::MatrixXd& y, const Eigen::MatrixXd& z);

}  // namespace macmi::citest
