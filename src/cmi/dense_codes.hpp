#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "macmi/variable.hpp"

namespace macmi::estimation {

/// The combinations of several categorical columns as codes 0, 1, … in the order of the first column, then the second
/// and so on; empty without columns. O(n) for columns of few levels, O(n log n) else.
std::vector<std::int32_t> dense_codes(std::span<const CategoricalColumn> columns, std::size_t n);

}  // namespace macmi::estimation
