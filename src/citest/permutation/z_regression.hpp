#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "knn/sample.hpp"

namespace macmi {

/// The quantile of the normal distribution at the mean rank of each value: independent of the scale, and Gaussian where
/// the data allow it.
Eigen::VectorXd normal_scores(const std::vector<double>& values);

/// What z explains of other columns, by least squares: powers of its normal scores up to the fifth and products up to
/// the third degree, as far as ten samples come on each, and the mean of each of its categories.
class ZRegression {
 public:
  ZRegression(const Block& z, std::size_t n);

  /// What it leaves of a column; exactly 0 where that is nothing but rounding.
  Eigen::VectorXd remainder(Eigen::VectorXd column) const;
  /// Parameters that were fitted: terms and means of categories.
  std::size_t fitted() const;

 private:
  std::vector<std::int32_t> category_;
  Eigen::MatrixXd basis_;  ///< orthonormal
};

/// Share of the variance of a block that z leaves: of the normal scores of its numbers and of the indicators of its
/// classes. Parameters that were fitted are allowed for. 1 where the block does not vary; 0 where z has nearly as many
/// parameters as there are samples.
double share_left(const Block& block, const ZRegression& z);

}  // namespace macmi
