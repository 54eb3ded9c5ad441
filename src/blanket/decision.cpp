#include "blanket/decision.hpp"

#include <algorithm>
#include <numeric>

namespace macmi::blanket {

std::vector<std::size_t> benjamini_hochberg(std::span<const double> p_values, std::size_t total, double q) {
  std::vector<std::size_t> order(p_values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return p_values[a] < p_values[b]; });
  std::size_t rejected = 0;
  for (std::size_t i = 0; i < order.size(); ++i)
    if (p_values[order[i]] <= q * static_cast<double>(i + 1) / static_cast<double>(total)) rejected = i + 1;
  order.resize(rejected);
  std::sort(order.begin(), order.end());
  return order;
}

}  // namespace macmi::blanket
