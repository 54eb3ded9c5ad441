#include "interactions/quantised.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.hpp"

namespace macmi::interactions {
namespace {

/// Of sorted values begin … end-1, the place between two different ones that is nearest to the middle; end: none.
std::size_t middle_cut(std::span<const double> sorted, std::size_t begin, std::size_t end) {
  const std::size_t middle = begin + (end - begin) / 2;
  std::size_t down = middle, up = middle;
  while (down > begin && sorted[down] == sorted[down - 1]) --down;
  while (up < end && (up == begin || sorted[up] == sorted[up - 1])) ++up;
  if (down <= begin || down == end) return up;
  return up >= end || middle - down <= up - middle ? down : up;
}

Levels levels_of_numbers(const std::vector<double>& values) {
  std::vector<double> sorted;
  for (const double v : values)
    if (!std::isnan(v)) sorted.push_back(v);
  std::sort(sorted.begin(), sorted.end());
  const std::size_t n = sorted.size(), half = middle_cut(sorted, 0, n);
  const std::size_t low = middle_cut(sorted, 0, half), high = middle_cut(sorted, half, n);
  Levels levels;
  for (const double v : values) {
    const bool upper = half < n && v >= sorted[half];
    const std::size_t cut = upper ? high : low, end = upper ? n : half;
    levels.push_back(static_cast<std::uint8_t>((upper ? 2 : 0) + (cut < end && v >= sorted[cut] ? 1 : 0)));
  }
  return levels;
}

Levels levels_of_labels(const std::vector<std::int32_t>& codes) {
  std::map<std::int32_t, std::size_t> counts;
  for (const std::int32_t code : codes)
    if (code >= 0) ++counts[code];
  std::vector<std::pair<std::int32_t, std::size_t>> labels(counts.begin(), counts.end());
  std::stable_sort(labels.begin(), labels.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  // Groups in the order 0, 2, 3, 1: the first and the last, which hold most and least, make the lower half.
  constexpr std::array<std::uint8_t, most_levels> level_of_group = {0, 2, 3, 1};
  std::array<std::size_t, most_levels> weight{};
  std::map<std::int32_t, std::uint8_t> level_of;
  for (const auto& [code, count] : labels) {
    const auto lightest = std::min_element(weight.begin(), weight.end());
    *lightest += count;
    level_of[code] = level_of_group[static_cast<std::size_t>(lightest - weight.begin())];
  }
  Levels levels;
  for (const std::int32_t code : codes) levels.push_back(code >= 0 ? level_of[code] : 0);
  return levels;
}

void fill_missing(const std::vector<bool>& present, std::uint64_t seed, Levels& levels) {
  std::vector<std::uint8_t> known;
  base::StreamKey key = base::StreamKey(seed).with("level of a missing value");
  for (std::size_t i = 0; i < levels.size(); ++i) {
    key = key.with(present[i] ? levels[i] : std::uint64_t{most_levels});
    if (present[i]) known.push_back(levels[i]);
  }
  if (known.empty() || known.size() == levels.size()) return;
  base::RandomStream random(key);
  for (std::size_t i = 0; i < levels.size(); ++i)
    if (!present[i]) levels[i] = known[random.below(known.size())];
}

}  // namespace

Levels quantised(const DataColumn& column, std::uint64_t seed) {
  const bool labels = column.is_categorical();
  Levels levels = labels ? levels_of_labels(column.codes) : levels_of_numbers(column.values);
  std::vector<bool> present;
  for (std::size_t i = 0; i < levels.size(); ++i)
    present.push_back(labels ? column.codes[i] >= 0 : !std::isnan(column.values[i]));
  fill_missing(present, seed, levels);
  return levels;
}

QuantisedSamples quantise(const Dataset& data, std::uint64_t seed) {
  QuantisedSamples samples;
  if (data.target.columns.size() != 1) return samples;
  samples.target = quantised(data.target.columns.front(), seed);
  for (std::size_t f = 0; f < data.features.size(); ++f) {
    if (data.features[f].is_series()) continue;
    for (const DataColumn& column : data.features[f].columns) {
      Levels levels = quantised(column, seed);
      if (level_count(levels) < 2) continue;
      samples.columns.push_back(std::move(levels));
      samples.feature.push_back(f);
    }
  }
  return samples;
}

std::size_t level_count(std::span<const std::uint8_t> levels) {
  std::array<bool, most_levels> there{};
  for (const std::uint8_t level : levels) there[level] = true;
  return static_cast<std::size_t>(std::count(there.begin(), there.end(), true));
}

}  // namespace macmi::interactions
