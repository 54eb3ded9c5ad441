#pragma once
#include <cstddef>
#include <cstdint>

#include "experiments/simulations/simulated_table.hpp"

namespace macmi::experiments {

/// A post-nonlinear network of scalars: every node is g(Σ f(parent) + noise) with f going up and down and g increasing
/// but curved, so that correlations say little. x1 → y ← x2, y → x3 ← x4, x1 → x5, x3 → x6, x7 → x8.
/// Markov blanket of y: x1 x2 x3 x4, of which x4 is a co-parent and independent of y alone.
/// `epsilon` is the standard deviation of the noise.
SimulatedTable post_nonlinear(std::size_t n, double epsilon, std::uint64_t seed);

}  // namespace macmi::experiments
