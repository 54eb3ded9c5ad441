#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "citest/permutation/z_regression.hpp"
#include "knn/sample.hpp"

namespace macmi {

/// The widest look that `--k auto` takes: all samples as one neighbourhood, in which what remains to be seen of a
/// dependence is a correlation. x and y become normal scores, ZRegression takes z out of both, and what is left of them
/// is correlated. What the regression misses of z stays in, and local permutations keep it in as well: the correlation
/// is compared with theirs, not with zero.
class ResidualCorrelation {
 public:
  /// One column of numbers or two categories.
  static bool fits(const Block& block);
  /// Scores, where there are any, stand in the place of x or y. Where neither a score nor a fitting block is there, as
  /// in a fold in which one of them is constant, every correlation is 0.
  ResidualCorrelation(const JointSample& sample, const ZRegression& z, std::span<const double> x_score = {},
                      std::span<const double> y_score = {});

  /// With the remainder of x of sample source[i] beside that of y of sample i. 0 where z leaves nothing of x or y.
  double of(std::span<const std::uint32_t> source) const;

 private:
  std::vector<double> x_, y_;  ///< what z leaves, of mean 0 and length 1
};

}  // namespace macmi
