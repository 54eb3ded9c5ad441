#include "citest/null/fitted_tail.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/f_distribution.hpp"

namespace macmi::citest {
namespace {

constexpr double expected_counts_as = 100;  ///< scores
constexpr double largest_skewness = 4;
constexpr double standard_errors = 3;

/// P(T ≥ t) for Student's t.
double student_upper_tail(double t, double freedom) {
  const double beyond = base::f_upper_tail(t * t, 1, freedom) / 2;
  return t > 0 ? beyond : 1 - beyond;
}

/// The normal deviate that a Pearson III variable of mean 0, deviation 1 and this skewness is as far out as.
double normal_deviate(double standardised, double skewness) {
  if (skewness < 1e-3) return standardised;
  const double base = 1 + skewness * standardised / 2;
  return base > 0 ? 6 / skewness * (std::cbrt(base) - 1) + skewness / 6 : -std::numeric_limits<double>::infinity();
}

/// Deviates of `count` scores; `sides` of the distribution count.
FittedTail tail_of(double deviate, std::size_t count, int sides) {
  const auto n = static_cast<double>(count);
  const double error = standard_errors * std::sqrt((1 + deviate * deviate) / n);
  const auto p = [&](double u) {
    return std::min(1.0, sides * student_upper_tail(u / std::sqrt(1 + 1 / n), (n - 1) / 2));
  };
  return {p(deviate), p(deviate + error), p(deviate - error)};
}

constexpr double unknown = std::numeric_limits<double>::quiet_NaN();

}  // namespace

FittedTail fitted_tail(double observed, const ScoreMoments& scores, double expected_skewness) {
  const auto n = static_cast<double>(scores.count);
  const double mean = scores.sum / n, variance = scores.squares / n - mean * mean;
  if (scores.count < 10 || !std::isfinite(observed) || !(variance > 1e-12)) return {unknown, unknown, unknown};
  const double third = scores.cubes / n - 3 * mean * scores.squares / n + 2 * mean * mean * mean;
  const double weighted = n * third / std::pow(variance, 1.5) + expected_counts_as * expected_skewness;
  const double skewness = std::clamp(weighted / (n + expected_counts_as), 0.0, largest_skewness);
  const double sd = std::sqrt(variance * n / (n - 1));
  return tail_of(normal_deviate((observed - mean) / sd, skewness), scores.count, 1);
}

FittedTail skewed_tail(double z, double skewness, std::size_t count) {
  if (count < 10 || !std::isfinite(z)) return {unknown, unknown, unknown};
  return tail_of(normal_deviate(z, std::min(skewness, largest_skewness)), count, 1);
}

FittedTail normal_tail(double z, std::size_t count) {
  if (count < 10 || !std::isfinite(z)) return {unknown, unknown, unknown};
  return tail_of(std::abs(z), count, 2);
}

FittedTail smaller_tail(const FittedTail& combined, const FittedTail& look, std::size_t looks) {
  const double times = 2 * static_cast<double>(looks);
  return times * look.p < combined.p ? FittedTail{times * look.p, times * look.low, times * look.high} : combined;
}

}  // namespace macmi::citest
