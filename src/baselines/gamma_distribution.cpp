#include "baselines/gamma_distribution.hpp"

#include <cmath>

#include "base/log_gamma.hpp"

namespace macmi::baselines {
namespace {

/// The lower regularised incomplete gamma function by its power series: x < a + 1.
double lower_series(double a, double x, double front) {
  double term = 1 / a, sum = term;
  for (int k = 1; k < 100000 && std::abs(term) > 1e-17 * std::abs(sum); ++k) {
    term *= x / (a + k);
    sum += term;
  }
  return front * sum;
}

/// The upper one by Legendre's continued fraction, evaluated forward (Lentz): x ≥ a + 1.
double upper_fraction(double a, double x, double front) {
  constexpr double tiny = 1e-300;
  double b = x + 1 - a, c = 1 / tiny, d = 1 / b, h = d;
  for (int k = 1; k < 100000; ++k) {
    const double numerator = -k * (k - a);
    b += 2;
    d = numerator * d + b;
    d = 1 / (std::abs(d) < tiny ? tiny : d);
    c = b + numerator / c;
    c = std::abs(c) < tiny ? tiny : c;
    h *= c * d;
    if (std::abs(c * d - 1) < 1e-15) break;
  }
  return front * h;
}

}  // namespace

double gamma_upper_tail(double x, double shape, double scale) {
  const double t = x / scale;
  if (!(t > 0)) return 1;
  const double front = std::exp(shape * std::log(t) - t - base::log_gamma(shape));
  return t < shape + 1 ? 1 - lower_series(shape, t, front) : upper_fraction(shape, t, front);
}

}  // namespace macmi::baselines
