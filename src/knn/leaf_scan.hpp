#pragma once
#include <cstddef>
#include <cstdint>

namespace macmi {

/// Vector scans over the packed rows of one leaf: `dimensions` rows of `length` elements, `length` a multiple of 64
/// bytes. Chosen for the CPU at run time; every choice gives the same bits.

/// Appends to `out` the max-norm distances from `query` that are below `bound`; returns how many. `out` must have room
/// for `length` + 8 numbers.
std::size_t distances_below(const double* rows, std::size_t dimensions, std::size_t length, const double* query,
                            double bound, double* out);

/// How many columns lie inside the box [low, low + width] in every dimension.
std::size_t count_in_box(const std::uint16_t* rows, std::size_t dimensions, std::size_t length,
                         const std::uint16_t* low, const std::uint16_t* width);
std::size_t count_in_box(const std::uint32_t* rows, std::size_t dimensions, std::size_t length,
                         const std::uint32_t* low, const std::uint32_t* width);

}  // namespace macmi
