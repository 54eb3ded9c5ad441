#pragma once

namespace macmi::baselines {

/// P(G ≥ x) for a gamma distribution of the given shape and scale.
double gamma_upper_tail(double x, double shape, double scale);

}  // namespace macmi::baselines
