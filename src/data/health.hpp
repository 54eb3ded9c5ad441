#pragma once
#include "macmi/dataset.hpp"

namespace macmi::data {

/// Fills in everything of data.health that can be seen in the samples (not what reading already counted).
void assess_health(Dataset& data, bool grouped);

}  // namespace macmi::data
