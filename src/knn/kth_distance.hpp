#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace macmi::knn {

/// By sample, not 0 where something is asked about it; empty: all are.
using Wanted = std::vector<std::uint8_t>;

/// Max-norm distance from each of `points` to its k-th nearest other one among them, written to radius[point].
/// Points that are not wanted are neighbours all the same. k is at most points.size() - 1. Exact: floating-point
/// subtraction is monotone, so a bounding box never hides a point that brute force would have found.
void kth_neighbour_distances(const std::vector<std::span<const double>>& columns, std::vector<std::uint32_t> points,
                             std::size_t k, std::size_t threads, std::span<double> radius, const Wanted& wanted = {});

}  // namespace macmi::knn
