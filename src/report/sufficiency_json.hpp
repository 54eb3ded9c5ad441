#pragma once
#include <nlohmann/json.hpp>

#include "macmi/measured_evidence.hpp"

namespace macmi::report {

/// The key `sufficiency` of a result (docs/effects.md).
nlohmann::ordered_json sufficiency_json(const Sufficiency& sufficiency);
Sufficiency get_sufficiency(const nlohmann::ordered_json& json);

}  // namespace macmi::report
