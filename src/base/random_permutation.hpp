#pragma once
#include <cstdint>
#include <numeric>
#include <utility>
#include <vector>

#include "base/random.hpp"

namespace macmi::base {

/// A permutation of 0 … n − 1 (Fisher & Yates).
inline std::vector<std::uint32_t> random_permutation(std::size_t n, RandomStream& random) {
  std::vector<std::uint32_t> order(n);
  std::iota(order.begin(), order.end(), 0U);
  for (std::size_t i = n; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  return order;
}

}  // namespace macmi::base
