#pragma once
#include <string>
#include <vector>

#include "macmi/dataset.hpp"
#include "macmi/learned_maps.hpp"
#include "macmi/maps.hpp"

namespace macmi {

/// Where the map of two numbers of the data set's one feature sends the first `shown` samples, over the mean of the
/// target that the surrogate expects there.
MapPicture map_picture(const LearnedMaps& maps, const Dataset& data, std::size_t shown);

}  // namespace macmi
