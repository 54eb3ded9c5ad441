#pragma once
#include <span>

#include "learn/learned_state.hpp"

namespace macmi {

/// Fills state.mapped: maps in the place of features, brought to zero mean and unit mean square within each fold (maps
/// of different folds have different scales), constant where a map found nothing.
void map_dataset(LearnedMaps::State& state, const Dataset& data);

/// For each sample the first one with the very same network input in a feature of a group. Equal series must have equal
/// maps, to the last bit, for the tests to see the tie; rounding in vector code depends on the place in a batch.
std::vector<std::size_t> first_alike(const CodedFeatures& features, const Architecture& architecture,
                                     std::size_t feature, std::size_t samples);

}  // namespace macmi
