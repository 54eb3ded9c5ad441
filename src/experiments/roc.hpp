#pragma once
#include <cstddef>
#include <utility>
#include <vector>

namespace macmi::experiments {

/// One statement "x is independent of y given S" as a test judged it, and the truth.
struct ScoredStatement {
  bool independent = false;  ///< true by d-separation
  double p_value = 1;
  double z_score = 0;  ///< settles ties of p, which permutations leave: larger speaks for dependence
};

/// The area under the receiver operating curve for declaring independence: the probability that a true statement scores
/// above a false one, ties counting half. NaN without statements of both kinds.
double roc_area(const std::vector<ScoredStatement>& statements);

/// That curve: (share of false statements declared, share of true ones), from (0, 0) to (1, 1).
std::vector<std::pair<double, double>> roc_curve(std::vector<ScoredStatement> statements);

/// Mean and half-width of its 95% interval by Student's t; the half-width is NaN for fewer than two values.
struct MeanInterval {
  double mean = 0, half_width = 0;
};
MeanInterval mean_interval(const std::vector<double>& values);

}  // namespace macmi::experiments
