#include "base/f_distribution.hpp"

#include <cmath>

#include "base/log_gamma.hpp"

namespace macmi::base {
namespace {

double nonzero(double value) {
  return std::abs(value) < 1e-300 ? 1e-300 : value;
}

/// Converges in O(√max(a, b)) terms for x < (a + 1) / (a + b + 2).
double continued_fraction(double a, double b, double x) {
  double c = 1, d = 1 / nonzero(1 - (a + b) * x / (a + 1)), h = d;
  for (int m = 1; m < 100000; ++m) {
    const double even = m * (b - m) * x / ((a + 2 * m - 1) * (a + 2 * m));
    d = 1 / nonzero(1 + even * d);
    c = nonzero(1 + even / c);
    h *= d * c;
    const double odd = -(a + m) * (a + b + m) * x / ((a + 2 * m) * (a + 2 * m + 1));
    d = 1 / nonzero(1 + odd * d);
    c = nonzero(1 + odd / c);
    h *= d * c;
    if (std::abs(d * c - 1) < 1e-15) break;
  }
  return h;
}

}  // namespace

double incomplete_beta(double a, double b, double x) {
  if (!(x > 0)) return 0;
  if (x >= 1) return 1;
  const double front = std::exp(log_gamma(a + b) - log_gamma(a) - log_gamma(b) + a * std::log(x) + b * std::log1p(-x));
  if (x < (a + 1) / (a + b + 2)) return front * continued_fraction(a, b, x) / a;
  return 1 - front * continued_fraction(b, a, 1 - x) / b;
}

double f_upper_tail(double f, double d1, double d2) {
  if (!(f > 0)) return 1;
  if (std::isinf(f)) return 0;
  return incomplete_beta(d2 / 2, d1 / 2, d2 / (d2 + d1 * f));
}

double normal_two_sided(double z) {
  return std::erfc(std::abs(z) / std::sqrt(2.0));
}

}  // namespace macmi::base
