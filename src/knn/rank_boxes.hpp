#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "knn/kth_distance.hpp"
#include "knn/neighbourhoods.hpp"

namespace macmi::knn {

/// A coordinate as ranks (ties share the lowest), with the range of ranks that lies within radius_i of each sample i.
/// "Within the radius in every coordinate" becomes an integer box: exact, and cheap to test for many points at once.
struct RankedColumn {
  std::vector<std::uint32_t> rank, low, high;
};

RankedColumn rank_column(std::span<const double> values, std::span<const double> radius, Edge edge, std::size_t threads,
                         const Wanted& wanted = {});
/// A category: only equal codes are within any radius.
RankedColumn rank_categories(std::span<const std::int32_t> codes);

/// How many samples other than i lie inside i's box in all of the columns.
std::vector<std::uint32_t> count_in_boxes(const std::vector<const RankedColumn*>& columns, std::size_t n,
                                          std::size_t threads, const Wanted& wanted = {});

}  // namespace macmi::knn
