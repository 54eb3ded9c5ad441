#pragma once
#include "maps/learned_state.hpp"

namespace macmi::maps {

/// Fills state.mapped: maps in the place of features, brought to zero mean and unit mean square within each fold (maps
/// of different folds have different scales), constant where a map found nothing. Samples with the same input have the
/// same map to the last bit, so that tests see the tie.
void map_dataset(LearnedMaps::State& state, const Dataset& data);

}  // namespace macmi::maps
