#pragma once
#include <cmath>

namespace macmi::base {

/// ln Γ(x) for x > 0. std::lgamma writes the sign to a global variable, which is a data race between threads.
inline double log_gamma(double x) {
  int sign = 1;
  return ::lgamma_r(x, &sign);
}

}  // namespace macmi::base
