#include "data/health.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <map>
#include <unordered_set>

#include "data/tables/layout_break.hpp"

namespace macmi::data {
namespace {

std::size_t missing_count(const DataColumn& column) {
  return static_cast<std::size_t>(
      std::count_if(column.missing.begin(), column.missing.end(), [](std::uint8_t m) { return m != 0; }));
}

/// Every value that at least a fifth of the samples have is among six candidates (Misra & Gries 1982): two passes over
/// the column instead of a sort.
std::pair<double, std::size_t> most_common(const std::vector<double>& values) {
  std::array<std::pair<double, std::size_t>, 6> candidates{};
  for (const double value : values) {
    if (std::isnan(value)) continue;
    std::pair<double, std::size_t>* free = nullptr;
    bool counted = false;
    for (auto& candidate : candidates) {
      if (candidate.second > 0 && candidate.first == value) {
        ++candidate.second;
        counted = true;
        break;
      }
      if (candidate.second == 0) free = &candidate;
    }
    if (counted) continue;
    if (free != nullptr)
      *free = {value, 1};
    else
      for (auto& candidate : candidates) --candidate.second;
  }
  std::pair<double, std::size_t> best{0, 0};
  for (auto& candidate : candidates) {
    if (candidate.second == 0) continue;
    const auto count = static_cast<std::size_t>(std::count(values.begin(), values.end(), candidate.first));
    if (count > best.second) best = {candidate.first, count};
  }
  return best;
}

void note_ties(const DataColumn& column, std::size_t samples, DataHealth& health) {
  const double share = static_cast<double>(most_common(column.values).second) / static_cast<double>(samples);
  if (share < DataHealth::heavy_ties_share) return;
  std::unordered_set<double> distinct;
  for (const double value : column.values)
    if (!std::isnan(value)) distinct.insert(value);
  health.ties.push_back({column.name, share, distinct.size()});
}

/// Text that differs in every sample, or whole numbers that count the samples.
bool is_id_like(const DataColumn& column, std::size_t samples) {
  constexpr std::size_t fewest = 20;
  if (samples < fewest) return false;
  if (column.type == ColumnType::categorical && column.values.empty())
    return column.labels.size() == samples - missing_count(column) && column.labels.size() >= fewest;
  if (column.type != ColumnType::integer || missing_count(column) > 0) return false;
  const auto [low, high] = std::minmax_element(column.values.begin(), column.values.end());
  if (*high - *low != static_cast<double>(samples - 1)) return false;
  std::vector<bool> seen(samples);
  for (const double value : column.values) {
    const auto place = static_cast<std::size_t>(value - *low);
    if (seen[place]) return false;
    seen[place] = true;
  }
  return true;
}

/// Fewer than two samples a label: nearly an id.
void note_many_labels(const DataColumn& column, DataHealth& health) {
  constexpr std::size_t fewest = 20;
  const std::size_t present = column.codes.size() - missing_count(column), labels = column.labels.size();
  if (column.type != ColumnType::categorical || labels < fewest || labels * 2 <= present || labels >= present) return;
  health.remarks.push_back(fmt::format(
      "column '{}' has {} labels in {} samples: nearly an id. Samples hardly share a label, so that tests "
      "see little; merge labels, leave it out with --exclude, or, if they are numbers, --type '{}=continuous'",
      column.name, labels, present, column.name));
}

std::uint64_t content_hash(const Feature& feature) {
  std::uint64_t hash = feature.columns.size();
  const auto mix = [&](std::uint64_t word) { hash = (hash ^ word) * 0x9E3779B97F4A7C15u, hash ^= hash >> 29; };
  for (const DataColumn& column : feature.columns) {
    for (const double value : column.values)
      mix(std::isnan(value) ? 1 : std::bit_cast<std::uint64_t>(value == 0 ? 0.0 : value));
    if (column.values.empty())
      for (const std::int32_t code : column.codes) mix(static_cast<std::uint64_t>(code) + 7);
  }
  return hash;
}

bool same_content(const Feature& a, const Feature& b) {
  const auto same = [](double x, double y) { return x == y || (std::isnan(x) && std::isnan(y)); };
  if (a.columns.size() != b.columns.size()) return false;
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    const DataColumn &x = a.columns[c], &y = b.columns[c];
    if (!std::equal(x.values.begin(), x.values.end(), y.values.begin(), y.values.end(), same)) return false;
    if (x.values.empty() && (x.codes != y.codes || x.labels != y.labels)) return false;
  }
  return true;
}

void note_duplicates(const Dataset& data, DataHealth& health) {
  std::map<std::uint64_t, std::vector<std::size_t>> by_hash;
  for (std::size_t f = 0; f < data.features.size(); ++f)
    if (data.features[f].type() != ColumnType::constant) by_hash[content_hash(data.features[f])].push_back(f);
  std::vector<std::vector<std::size_t>> groups;
  for (const auto& [hash, members] : by_hash) {
    std::vector<std::vector<std::size_t>> equal;
    for (const std::size_t f : members) {
      const auto group = std::find_if(equal.begin(), equal.end(), [&](const auto& g) {
        return same_content(data.features[g[0]], data.features[f]);
      });
      if (group == equal.end())
        equal.push_back({f});
      else
        group->push_back(f);
    }
    for (auto& group : equal)
      if (group.size() > 1) groups.push_back(std::move(group));
  }
  std::sort(groups.begin(), groups.end());
  for (const auto& group : groups) {
    auto& names = health.duplicates.emplace_back();
    for (const std::size_t f : group) names.push_back(data.features[f].name);
  }
}

/// A channel is reported once, under the name of its column; the steps of a series are counted together.
void note_channel(const Feature& feature, std::size_t channel, std::size_t samples, DataHealth& health) {
  const DataColumn& first = feature.columns[channel];
  const std::string name = feature.is_series() ? first.name.substr(0, first.name.rfind('[')) : first.name;
  std::size_t missing = 0;
  for (std::size_t step = 0; step < feature.steps; ++step)
    missing += missing_count(feature.columns[step * feature.channels + channel]);
  if (missing > 0) health.missing.push_back({name, missing});
  if (first.type == ColumnType::constant) health.constant.push_back(name);
  if (is_id_like(first, samples) && !feature.is_series()) health.id_like.push_back(name);
  if (!feature.is_series()) note_many_labels(first, health);
  if (first.type != ColumnType::continuous && first.type != ColumnType::integer) return;
  if (!feature.is_series()) return note_ties(first, samples, health);
  DataColumn all;
  all.name = name;
  for (std::size_t step = 0; step < feature.steps; ++step) {
    const std::vector<double>& values = feature.columns[step * feature.channels + channel].values;
    all.values.insert(all.values.end(), values.begin(), values.end());
  }
  note_ties(all, all.values.size(), health);
}

}  // namespace

void assess_health(Dataset& data, bool grouped) {
  DataHealth& health = data.health;
  health.samples = data.samples();
  bool widths_differ = false;
  for (const Feature& feature : data.features) {
    for (std::size_t channel = 0; channel < feature.channels; ++channel)
      note_channel(feature, channel, data.samples(), health);
    widths_differ = widths_differ || feature.channels != data.features[0].channels;
    double least = INFINITY, most = 0;
    for (const DataColumn& column : feature.columns) {
      if (column.is_categorical() || column.type == ColumnType::constant) continue;
      least = std::min(least, column.scaling.scale);
      most = std::max(most, column.scaling.scale);
    }
    if (most > 10 * least) health.mixed_units.push_back(feature.name);
  }
  if (grouped && widths_differ)
    for (const Feature& feature : data.features) health.group_widths.push_back({feature.name, feature.channels});
  note_duplicates(data, health);
  if (std::optional<std::string> remark = layout_break(data)) health.remarks.push_back(std::move(*remark));
  if (data.target_is_categorical()) {
    note_many_labels(data.target.columns[0], health);
    for (const std::string& label : data.classes()) health.classes.push_back({label, 0});
    for (const std::int32_t code : data.target.columns[0].codes)
      if (code >= 0) ++health.classes[code].count;
  }
}

}  // namespace macmi::data
