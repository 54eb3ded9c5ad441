#pragma once
#include <span>

namespace macmi {

/// Ascending, by vector instructions (Blacher et al. 2022, in Highway). No NaN.
void sort_ascending(std::span<double> values);

}  // namespace macmi
