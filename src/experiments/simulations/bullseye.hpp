#pragma once
#include <cstddef>
#include <cstdint>

#include "blanket/d_separation.hpp"
#include "experiments/simulations/simulated_table.hpp"

namespace macmi::experiments {

/// Columns are x1_0, x1_1, …, y.

/// Section 5.1 of the paper: radius R uniform on [1,2] ∪ [3,4], X = (R cos Θ, R sin Θ), Y = R + Unif[-ε, ε].
SimulatedTable bullseye2d(std::size_t n, double epsilon, std::uint64_t seed);

/// I(X; Y) of bullseye2d: ε − ln ε nats, for 0 < ε ≤ 1/2 (the noise then does not join the two rings).
double bullseye2d_information(double epsilon);

/// The graph of Section 5.2. The text and the authors' published code differ:
/// `authors`: X1→X2, X1→X3, X3→X4, {X2,X4}→X5, {X3,X5}→Y, {X4,Y}→X6; Markov blanket X3 X4 X5 X6.
/// `caption`: X1→X2→X3, X1→X4→X5, {X3,X5}→Y, {Y,X1}→X6; Markov blanket X1 X3 X5 X6.
enum class BullseyeGraph { authors, caption };

/// Section 5.2: points on spheres in R³ whose radius is the mean of the parents' magnitudes plus Unif[-ε, ε].
SimulatedTable bullseye3d(std::size_t n, double epsilon, BullseyeGraph graph, std::uint64_t seed);

/// That graph: nodes 0 … 5 are x1 … x6, 6 is y.
blanket::Dag bullseye_dag(BullseyeGraph graph);

}  // namespace macmi::experiments
