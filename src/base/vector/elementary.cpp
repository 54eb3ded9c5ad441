#include "base/vector/elementary.hpp"

#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>

namespace macmi::base {
namespace {

// ln 2 in two parts, the first with zeros at its end: its product with a small integer is exact.
constexpr double ln2_high = 0x1.62e42fee00000p-1, ln2_low = 0x1.a39ef35793c76p-33;
constexpr double pi = 3.14159265358979323846;

double power_of_two(int exponent) {
  return std::bit_cast<double>(static_cast<std::uint64_t>(exponent + 1023) << 52);
}

/// The nearest integer, ties to even, for |x| < 2^51: the sum has no room for a fraction. The C library's function is a
/// call where the processor's instruction may not be assumed.
double nearest(double x) {
  constexpr double no_fraction = 0x1.8p52;
  return (x + no_fraction) - no_fraction;
}

/// 1 / 0! … 1 / 13!.
constexpr double inverse_factorial[] = {
    1.0,        1.0,         1.0 / 2,      1.0 / 6,       1.0 / 24,       1.0 / 120,       1.0 / 720,
    1.0 / 5040, 1.0 / 40320, 1.0 / 362880, 1.0 / 3628800, 1.0 / 39916800, 1.0 / 479001600, 1.0 / 6227020800};

}  // namespace

double exact_exp(double x) {
  if (!(x < 709)) return x > 0 ? std::numeric_limits<double>::infinity() : x;  // NaN stays
  if (x < -708) return 0;
  // x = k ln 2 + r with |r| ≤ ln 2 / 2; the series ends where its terms fall below 2^-54.
  const double k = nearest(x * 1.4426950408889634), r = (x - k * ln2_high) - k * ln2_low, r2 = r * r;
  double even = inverse_factorial[12], odd = inverse_factorial[13];
  for (int i = 10; i >= 0; i -= 2) {
    even = even * r2 + inverse_factorial[i];
    odd = odd * r2 + inverse_factorial[i + 1];
  }
  return (even + r * odd) * power_of_two(static_cast<int>(k));
}

double exact_log(double x) {
  if (!(x > 0)) return x == 0 ? -std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  if (x == std::numeric_limits<double>::infinity()) return x;
  int exponent = 0;
  double m = std::frexp(x, &exponent);  // x = m 2^exponent, m in [½, 1)
  if (m < 0.70710678118654752) m *= 2, --exponent;
  // log m = 2 atanh s with s = (m − 1) / (m + 1), |s| ≤ 0.172.
  const double s = (m - 1) / (m + 1), s2 = s * s;
  double sum = 0;
  for (int i = 21; i >= 3; i -= 2) sum = (sum + 1.0 / i) * s2;
  return exponent * ln2_high + (exponent * ln2_low + 2 * s * sum + 2 * s);
}

double exact_cos(double x) {
  const double turns = std::nearbyint(x / (2 * pi));
  double a = std::fabs(x - turns * 2 * pi);  // 0 … π
  const bool behind = a > pi / 2;
  if (behind) a = pi - a;
  // cos a = 1 − 2 sin² (a / 2), a / 2 ≤ π / 4.
  const double h = a / 2, h2 = h * h;
  double sine = 0;
  for (int i = 13; i >= 1; i -= 2) sine = inverse_factorial[i] - h2 * sine;
  sine *= h;
  const double cosine = 1 - 2 * sine * sine;
  return behind ? -cosine : cosine;
}

}  // namespace macmi::base
