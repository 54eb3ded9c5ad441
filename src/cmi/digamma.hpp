#pragma once
#include <cstddef>
#include <vector>

namespace macmi::estimation {

/// ψ(m) for m > 0: recurrence up to 12, then the asymptotic series (Abramowitz & Stegun 6.3.18); error below 1e-14.
double digamma(double m);

/// ψ(0 … n); ψ(0) is NaN so that a count that must not be zero is noticed.
std::vector<double> digamma_table(std::size_t n);

}  // namespace macmi::estimation
