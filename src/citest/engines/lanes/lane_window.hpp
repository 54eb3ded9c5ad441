#pragma once
#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <span>
#include <utility>
#include <vector>

#include "citest/engines/lanes/lane_kernel.hpp"

namespace macmi::citest {

/// The window that holds all but a few in a thousand of the radii that further permutations will have, from (x, radius)
/// pairs of the first ones. `reach` bounds every radius.
template <class T>
LaneWindow<T> learn_window(std::vector<std::pair<T, std::int32_t>>& seen, std::int32_t reach) {
  LaneWindow<T> window{};
  if (seen.empty()) {
    window.width = static_cast<T>(reach);
    window.high = reach;
    return window;
  }
  std::sort(seen.begin(), seen.end());
  // A slot for every x, if few are possible; else slots of equally many permutations.
  std::size_t distinct = 1;
  for (std::size_t p = 1; p < seen.size(); ++p) distinct += seen[p].first != seen[p - 1].first;
  const std::size_t slot_size =
      distinct <= LaneWindow<T>::slots ? 1 : (seen.size() + LaneWindow<T>::slots - 1) / LaneWindow<T>::slots;
  double squares = 0, mean[LaneWindow<T>::slots] = {}, below = 0, above = 0;
  std::size_t slots = 0;
  for (std::size_t begin = 0; begin < seen.size(); ++slots) {
    std::size_t end = std::min(seen.size(), begin + slot_size);
    while (end < seen.size() && (seen[end].first == seen[end - 1].first || slots + 1 == LaneWindow<T>::slots)) ++end;
    for (std::size_t p = begin; p < end; ++p) mean[slots] += seen[p].second / static_cast<double>(end - begin);
    for (std::size_t p = begin; p < end; ++p) {
      const double d = seen[p].second - mean[slots];
      squares += d * d;
      below = std::max(below, -d);
      above = std::max(above, d);
    }
    if (slots + 1 < LaneWindow<T>::slots) window.upper[slots] = seen[end - 1].first;
    begin = end;
  }
  const double freedom = std::max(1.0, static_cast<double>(seen.size()) - static_cast<double>(slots));
  const double usual = 3.6 * std::sqrt(squares / freedom + 0.2);
  below = std::ceil(std::max(usual, 1.1 * below)) + 1;
  above = std::ceil(std::max(usual, 1.1 * above)) + 1;
  const double width = std::min<double>(below + above, reach);
  window.width = static_cast<T>(width);
  for (std::size_t s = 0; s < LaneWindow<T>::slots; ++s) {
    if (s >= slots) {
      window.low[s] = window.low[slots - 1];
      if (s > 0) window.upper[s - 1] = s == slots ? window.upper[s - 1] : window.upper[slots - 1];
      continue;
    }
    window.low[s] = static_cast<T>(std::clamp(mean[s] - below, 0.0, static_cast<double>(reach)));
    window.high = std::max(window.high, static_cast<std::int32_t>(std::min<double>(window.low[s] + width, reach)));
  }
  return window;
}

}  // namespace macmi::citest
