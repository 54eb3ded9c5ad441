#pragma once
#include <cstddef>

namespace macmi::citest {

/// Sums over permuted scores: of the scores, their squares and their cubes.
struct ScoreMoments {
  std::size_t count = 0;
  double sum = 0, squares = 0, cubes = 0;
};

/// A p-value from a fitted curve, and the values three standard errors of the fit to either side of it.
struct FittedTail {
  double p, low, high;  ///< all NaN where there is nothing to fit
};

/// P(score ≥ observed) by a Pearson III curve with the mean, deviation and skewness of the permuted scores. The
/// skewness of few scores says little, so it is averaged with the expected one, which counts as much as 100 scores.
/// Wilson and Hilferty's cube root (1931) makes the curve normal; Student's t in the place of the normal distribution
/// allows for a mean and a deviation that come from finitely many scores. Scores are not normal, so that their
/// deviation is known less well than that of as many normal ones: the degrees of freedom are half their number.
/// docs/benchmarks/small_p.md measures how well this holds.
FittedTail fitted_tail(double observed, const ScoreMoments& scores, double expected_skewness);

/// P(score ≥ z) of scores of this skewness, z being the observed value in deviations of `count` permuted ones.
FittedTail skewed_tail(double z, double skewness, std::size_t count);

/// P(|score| ≥ |z|), z being the observed value in deviations of `count` permuted ones that are nearly normal.
FittedTail normal_tail(double z, std::size_t count);

/// The smaller p-value of a combined score's tail and of the `looks` single looks, of which `look` is the one furthest
/// out. Where one look alone is far out, the combined score is nearly that look, whose tail is lighter than a Pearson
/// III curve through the middle of the combined scores. The p-value of the smallest of several looks is multiplied by
/// their number (Bonferroni), and by two for the choice between both ways.
FittedTail smaller_tail(const FittedTail& combined, const FittedTail& look, std::size_t looks);

}  // namespace macmi::citest
