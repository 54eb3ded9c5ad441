#pragma once
#include <vector>

namespace macmi::predict {

/// The logarithm of the density at every residual, estimated from the other ones: a normal distribution or, where that
/// is better beyond doubt, a mean of kernels with the same variance. A small share of a wide distribution keeps
/// outliers finite.
std::vector<double> log_densities(const std::vector<double>& residuals);

}  // namespace macmi::predict
