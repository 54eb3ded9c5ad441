#pragma once
#include <cmath>
#include <cstddef>

namespace macmi::interactions {

/// -ln P(χ² ≥ x) with a whole number of degrees of freedom, by the finite series; exact far out in the tail, too.
/// Even: P = e^{-h} Σ_{i < df/2} h^i / i!; odd: P = erfc(√h) + e^{-h} Σ h^{i - 1/2} / Γ(i + 1/2); h = x / 2.
inline double chi_square_surprise(double x, std::size_t df) {
  const double h = x / 2;
  if (!(h > 0)) return 0;
  double sum = 0;  // P e^h
  if (df % 2 == 1) {
    // Beyond 100 the continued fraction of erfc, cut off: an error of 1e-5 of P.
    sum = h < 100 ? std::exp(h) * std::erfc(std::sqrt(h)) : 1 / (std::sqrt(M_PI * h) * (1 + 1 / (2 * h)));
    double term = std::sqrt(h) / (std::sqrt(M_PI) / 2);
    for (std::size_t i = 1; 2 * i < df; ++i) sum += term, term *= h / (static_cast<double>(i) + 0.5);
  } else {
    double term = 1;
    for (std::size_t i = 0; 2 * i < df; ++i) sum += term, term *= h / (static_cast<double>(i) + 1);
  }
  return h - std::log(sum);
}

/// The x at which chi_square_surprise() is this much.
inline double chi_square_reaching(double surprise, std::size_t df) {
  double low = 0, high = 1;
  while (chi_square_surprise(high, df) < surprise) high *= 2;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (chi_square_surprise(middle, df) < surprise ? low : high) = middle;
  }
  return high;
}

}  // namespace macmi::interactions
