#include "experiments/roc.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/f_distribution.hpp"

namespace macmi::experiments {
namespace {

/// Speaks more for independence.
bool above(const ScoredStatement& a, const ScoredStatement& b) {
  return a.p_value != b.p_value ? a.p_value > b.p_value : a.z_score < b.z_score;
}

/// P(|T| ≤ t) = 0.95, from T² being F-distributed.
double t_quantile(double degrees) {
  double low = 0, high = 1000;
  for (int step = 0; step < 100; ++step) {
    const double middle = 0.5 * (low + high);
    (base::f_upper_tail(middle * middle, 1, degrees) > 0.05 ? low : high) = middle;
  }
  return high;
}

}  // namespace

double roc_area(const std::vector<ScoredStatement>& statements) {
  double pairs = 0, right = 0;
  for (const ScoredStatement& a : statements)
    for (const ScoredStatement& b : statements)
      if (a.independent && !b.independent) {
        ++pairs;
        right += above(a, b) ? 1 : above(b, a) ? 0 : 0.5;
      }
  return right / pairs;
}

std::vector<std::pair<double, double>> roc_curve(std::vector<ScoredStatement> statements) {
  std::stable_sort(statements.begin(), statements.end(), above);
  const auto total = static_cast<double>(statements.size());
  const auto true_ones = static_cast<double>(
      std::count_if(statements.begin(), statements.end(), [](const ScoredStatement& s) { return s.independent; }));
  std::vector<std::pair<double, double>> curve = {{0, 0}};
  double true_seen = 0, false_seen = 0;
  for (std::size_t i = 0; i < statements.size(); ++i) {
    (statements[i].independent ? true_seen : false_seen) += 1;
    const bool tied = i + 1 < statements.size() && !above(statements[i], statements[i + 1]);
    if (!tied) curve.emplace_back(false_seen / (total - true_ones), true_seen / true_ones);
  }
  return curve;
}

MeanInterval mean_interval(const std::vector<double>& values) {
  const auto count = static_cast<double>(values.size());
  MeanInterval result;
  result.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  double square = 0;
  for (const double v : values) square += (v - result.mean) * (v - result.mean);
  result.half_width =
      values.size() < 2 ? std::nan("") : t_quantile(count - 1) * std::sqrt(square / (count - 1) / count);
  return result;
}

}  // namespace macmi::experiments
