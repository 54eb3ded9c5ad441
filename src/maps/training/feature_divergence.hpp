#pragma once
#include <span>
#include <vector>

#include "maps/network/objective.hpp"
#include "maps/training/recipe.hpp"

namespace macmi::maps {

/// How much each feature's map says to the surrogate: the mean Jeffreys divergence between its predictions before and
/// after the feature is swapped with another sample's, over random masks that keep it [features]. About twice the
/// information of the map for weak Normal dependence. NaN for features as they are and features never kept.
std::vector<double> divergence_of_features(Objective& networks, const NetworkSamples& samples,
                                           std::span<const std::uint32_t> rows, const Recipe& recipe);

}  // namespace macmi::maps
