#pragma once

namespace macmi::base {

/// The regularised incomplete beta function I_x(a, b), by Lentz's continued fraction (Abramowitz & Stegun 26.5.8).
double incomplete_beta(double a, double b, double x);

/// P(F ≥ f) for Fisher's F with d1 and d2 degrees of freedom, not necessarily whole numbers.
double f_upper_tail(double f, double d1, double d2);

/// P(|Z| ≥ |z|) for a standard normal Z.
double normal_two_sided(double z);

}  // namespace macmi::base
