#pragma once
#include <nlohmann/json.hpp>
#include <vector>

#include "macmi/learned_maps.hpp"

namespace macmi::report {

/// The keys `map_pictures` and `training` of a result (docs/report.md).
nlohmann::ordered_json maps_json(const std::vector<MapPicture>& maps);
nlohmann::ordered_json training_json(const std::vector<TrainingCurve>& curves);
std::vector<MapPicture> get_maps(const nlohmann::ordered_json& json);
std::vector<TrainingCurve> get_training(const nlohmann::ordered_json& json);

}  // namespace macmi::report
