#pragma once
#include <cstdint>

namespace macmi::base {

/// lanes[bits]: the numbers of the set bits in increasing order, then zeros.
struct CompressTable {
  alignas(32) std::int32_t lanes[256][8] = {};
  constexpr CompressTable() {
    for (unsigned bits = 0; bits < 256; ++bits) {
      std::size_t kept = 0;
      for (int lane = 0; lane < 8; ++lane)
        if ((bits >> lane & 1) != 0) lanes[bits][kept++] = lane;
    }
  }
};
inline constexpr CompressTable compress_table;

}  // namespace macmi::base
