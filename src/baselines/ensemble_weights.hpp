#pragma once
#include <cstddef>
#include <vector>

namespace macmi::baselines {

/// The weights of an ensemble of plug-in estimators (Moon, Sricharan & Hero 2017): they minimise ε subject to
/// Σ w(l) = 1, |n^(1/2 − j/(2d)) Σ w(l) l^j| ≤ ε for j = 1 … orders, and ‖w‖² ≤ limit.
/// For a given ε the smallest ‖w‖² is found exactly, by trying which constraints are met with equality (3^orders
/// systems of `orders` + 1 equations); the smallest ε with ‖w‖² ≤ limit by bisection.
std::vector<double> ensemble_weights(const std::vector<double>& factors, std::size_t orders, std::size_t dimensions,
                                     std::size_t samples, double limit);

}  // namespace macmi::baselines
