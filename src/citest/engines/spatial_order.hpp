#pragma once
#include <cstdint>
#include <vector>

#include "cmi/prepare.hpp"

namespace macmi::citest {

/// The same samples with those near in z (in y when there is no z) next to each other, categories apart: what one
/// sample's neighbours need from memory, the next one's need too.
estimation::PreparedSample in_spatial_order(estimation::PreparedSample prepared);

/// The same samples in another order.
estimation::PreparedSample in_order(estimation::PreparedSample prepared, const std::vector<std::uint32_t>& order);

}  // namespace macmi::citest
