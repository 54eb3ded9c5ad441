#pragma once
#include "macmi/maps.hpp"
#include "maps/coding.hpp"
#include "maps/training/recipe.hpp"

namespace macmi::maps {

/// Options with the values of their preset where the user left the default.
MapsOptions with_preset(MapsOptions options);

/// The dimension of the maps for this target.
std::size_t choose_map_dim(const Dataset& data, const MapsOptions& options);
Architecture choose_architecture(const Dataset& data, const Coding& coding, const MapsOptions& options);
/// The training for `samples` training samples. docs/maps.md tells where the numbers come from.
Recipe choose_recipe(const Architecture& architecture, std::size_t samples, const MapsOptions& options);

}  // namespace macmi::maps
