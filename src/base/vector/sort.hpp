#pragma once
#include <cstdint>
#include <span>

namespace macmi::base {

/// Ascending, by vector instructions (Blacher et al. 2022, in Highway). No NaN.
void sort_ascending(std::span<double> values);
void sort_ascending(std::span<std::uint32_t> values);
void sort_ascending(std::span<std::uint64_t> values);

}  // namespace macmi::base
