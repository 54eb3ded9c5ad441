#include "citest/null/level_columns.hpp"

#include <algorithm>
#include <numeric>

namespace macmi::citest {

std::size_t most_wide_columns(std::size_t n) {
  return std::clamp<std::size_t>(n / 20, 1, 32);
}

LevelColumns::LevelColumns(const std::vector<std::int32_t>& category, std::size_t room) {
  if (category.empty()) return;
  std::vector<std::size_t> samples(static_cast<std::size_t>(*std::max_element(category.begin(), category.end())) + 1);
  for (const std::int32_t c : category) ++samples[static_cast<std::size_t>(c)];
  std::vector<std::size_t> order(samples.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return samples[a] > samples[b]; });
  const auto frequent = static_cast<std::size_t>(
      std::count_if(samples.begin(), samples.end(), [](std::size_t m) { return m >= least_samples; }));
  // One level stays without: the merged one, or else the last.
  count = std::min({room, frequent, samples.size() - 1});
  column.assign(samples.size(), count);
  // By code, so that of two levels it is the second that has the column, whatever their frequency.
  std::sort(order.begin(), order.begin() + static_cast<std::ptrdiff_t>(count));
  if (samples.size() == 2 && count == 1) order[0] = 1;
  for (std::size_t c = 0; c < count; ++c) column[order[c]] = c;
}

}  // namespace macmi::citest
