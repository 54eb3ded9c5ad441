#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "citest/null/wide_look.hpp"
#include "citest/permutation/z_regression.hpp"
#include "knn/sample.hpp"

namespace macmi::citest {

/// The cube root of a trace: about normal where x and y are independent (Wilson & Hilferty 1931, as for χ²), so that
/// deviations from the null's mean have their usual meaning. The same bits on every machine.
double root_of_trace(double trace);

/// The widest look that `--k auto` takes: all samples as one neighbourhood, in which what remains to be seen of a
/// dependence is linear. Numbers become normal scores and categories columns of zeros and ones (LevelColumns);
/// ZRegression takes z out of the columns of x and of y, and what is left of each side is made orthonormal: Qx, Qy.
/// Between two single columns QxᵀQy is their correlation; in general V = ‖QxᵀQy‖² is the sum of the squared canonical
/// correlations, Pillai's trace. What the regression misses of z stays in, and local permutations keep it in as well:
/// the look is compared with theirs, not with zero.
class ResidualCorrelation {
 public:
  /// The look at samples of x and y; with a score in the place of x, at that. None: too many columns of numbers.
  static WideLook look(const knn::JointSample& sample, bool scored);

  /// Scores, where there are any, stand in the place of x or y. A fold in which one of them is constant has 0
  /// everywhere.
  ResidualCorrelation(const knn::JointSample& sample, const ZRegression& z, WideLook look,
                      std::span<const double> x_score = {}, std::span<const double> y_score = {});

  /// How many canonical correlations there can be.
  std::size_t directions() const;
  /// With what is left of x of sample source[i] beside that of y of sample i: the correlation, or the root of the
  /// trace. 0 where z leaves nothing of x or y. O(n) times the columns of x times those of y.
  double of(std::span<const std::uint32_t> source) const;

 private:
  using Rows = Eigen::Matrix<double, Eigen::Dynamic, Eigen::Dynamic, Eigen::RowMajor>;

  WideLook look_;
  Rows x_, y_;  ///< orthonormal columns, of mean 0
};

}  // namespace macmi::citest
