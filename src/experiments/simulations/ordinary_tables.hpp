#pragma once
#include <cstddef>
#include <cstdint>

#include "experiments/simulations/simulated_table.hpp"

namespace macmi::experiments {

/// A census table as people have them (the shape of UCI's Adult): six numbers with ties, eight columns of 2 to 42
/// labels, some of them rare, and a target of two classes. Markov blanket of income: age, education, occupation,
/// marital and hours (parents), savings (child). training, capital, workclass and relationship follow from these;
/// weight, race and country tell nothing.
SimulatedTable census(std::size_t n, std::uint64_t seed);

/// Nine numbers (the shape of California housing). Markov blanket of value: longitude, latitude, income and age
/// (parents); rooms and bedrooms follow from income, households from population.
SimulatedTable housing(std::size_t n, std::uint64_t seed);

}  // namespace macmi::experiments
