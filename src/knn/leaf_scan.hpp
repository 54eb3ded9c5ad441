#pragma once
#include <cstddef>
#include <cstdint>

namespace macmi::knn {

/// Vector scans over the packed rows of one leaf: `dimensions` rows of `length` elements, `length` a multiple of 64
/// bytes. Chosen for the CPU at run time; every choice gives the same bits.

/// A leaf's coordinates, and a rough copy of them in single precision for a first, cheaper look.
struct LeafRows {
  const double* exact;
  const float* rough;
  std::size_t dimensions, length;
};

/// Writes to `out` the max-norm distances from `query` that are below `bound`; returns how many. Points whose rough
/// distance is not below `rough_bound` are passed over: it must be large enough that none of those is below `bound`.
/// `out` must have room for `length` + 8 numbers.
std::size_t distances_below(const LeafRows& leaf, const double* query, const float* rough_query, double bound,
                            float rough_bound, double* out);

/// How many of `count` values are below `limit`.
std::size_t count_below(const double* values, std::size_t count, double limit);

/// The largest of `count` values, none negative, that is below `limit`; 0 when there is none.
double largest_below(const double* values, std::size_t count, double limit);

/// How many columns lie inside the box [low, low + width] in every dimension.
std::size_t count_in_box(const std::uint16_t* rows, std::size_t dimensions, std::size_t length,
                         const std::uint16_t* low, const std::uint16_t* width);
std::size_t count_in_box(const std::uint32_t* rows, std::size_t dimensions, std::size_t length,
                         const std::uint32_t* low, const std::uint32_t* width);

}  // namespace macmi::knn
