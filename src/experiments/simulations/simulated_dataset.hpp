#pragma once
#include "experiments/simulations/simulated_table.hpp"
#include "macmi/dataset.hpp"

namespace macmi::experiments {

/// A simulated table as a data set: columns x1_0, x1_1, … become features of `width` columns, the last the target.
Dataset as_dataset(SimulatedTable table, std::size_t width);

}  // namespace macmi::experiments
