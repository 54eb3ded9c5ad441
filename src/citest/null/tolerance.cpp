#include "citest/null/tolerance.hpp"

#include <algorithm>
#include <cmath>

#include "citest/null/residual_correlation.hpp"

namespace macmi::citest {

double less_information(double observed, const std::vector<double>& permuted, double tolerance, const WideScale& wide) {
  const bool trace = wide.look == WideLook::trace;
  const auto value = [&](double v) { return trace ? v * v * v : v; };
  double mean = 0;
  for (const double v : permuted) mean += value(v) / static_cast<double>(permuted.size());
  const double d = value(observed) - mean;
  if (!trace) {
    const double left = 1 - std::exp(2 * tolerance) * (1 - d * d);
    return mean + std::copysign(std::sqrt(std::max(0.0, left)), d);
  }
  const auto s = static_cast<double>(wide.directions);
  const double left = s * (1 - std::exp(2 * tolerance / s) * (1 - d / s));
  return root_of_trace(mean + std::max(left, std::min(d, 0.0)));
}

}  // namespace macmi::citest
