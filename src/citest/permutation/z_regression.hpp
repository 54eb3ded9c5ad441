#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <vector>

#include "knn/sample.hpp"

namespace macmi::citest {

/// The quantile of the normal distribution at the mean rank of each value: independent of the scale, and Gaussian where
/// the data allow it.
Eigen::VectorXd normal_scores(const std::vector<double>& values);

/// A least-squares regression of other columns on z: powers of its normal scores up to the fifth and products up to
/// the third degree, as far as ten samples come on each, and the mean of each of its categories. Where z has so many
/// columns that not all products of two fit (nine and more at 500 samples, ten and more from 640 on), the columns
/// themselves and those powers and products enter that explain something of the variables to be regressed: of x, or of
/// y. Terms that matter to neither cannot make them dependent (double selection: Belloni, Chernozhukov and Hansen
/// 2014).
class ZRegression {
 public:
  /// `regressed`: the variables that terms are chosen by, where they have to be.
  ZRegression(const knn::Block& z, std::size_t n, const std::vector<const knn::Block*>& regressed = {});

  /// The remainder of a column; exactly 0 where that is nothing but rounding.
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
double share_left(const knn::Block& block, const ZRegression& z);

}  // namespace macmi::citest
