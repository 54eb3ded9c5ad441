#pragma once
#include <cstddef>
#include <cstdint>

#include "experiments/simulations/simulated_table.hpp"

namespace macmi::experiments {

/// The five-bit parity cube, after the recipe of MADELON (Guyon et al. 2004): samples lie around the vertices of a cube
/// of five dimensions, each with a normal spread of `epsilon` around ±1, and the class says whether an odd number of
/// coordinates is positive. x1 … x5 are the coordinates, x6 … x10 noisy copies of them, x11 … x20 linear combinations
/// of all five with normal weights, the others (features - 20) are noise. Given fewer than five coordinates the class
/// is a coin; combinations may show a little of it.
SimulatedTable parity_cube(std::size_t features, std::size_t n, double epsilon, std::uint64_t seed);

inline constexpr std::size_t parity_bits = 5, parity_informative = 20;

}  // namespace macmi::experiments
