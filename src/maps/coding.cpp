#include "maps/coding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <tuple>

#include "base/random.hpp"
#include "macmi/error.hpp"

namespace macmi::maps {
namespace {

constexpr std::size_t most_labels = 1000;

std::uint64_t content_of(const DataColumn& column) {
  base::StreamKey key(4);
  for (const double value : column.values)
    key = key.with(std::isnan(value) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(value));
  if (column.values.empty())
    for (const std::int32_t code : column.codes)
      key = key.with(static_cast<std::uint64_t>(static_cast<std::uint32_t>(code)));
  return key.value();
}

/// Center and scale over the present values of some columns together.
ColumnCoding coding_of(const std::vector<const DataColumn*>& columns) {
  if (as_labels(*columns.front())) {
    const DataColumn& column = *columns.front();
    if (column.labels.size() > most_labels)
      throw InputError(
          fmt::format("column '{}' has {} labels, too many for a feature map (at most {}); leave it out with --exclude",
                      column.name, column.labels.size(), most_labels));
    return {0, 1, std::max<std::size_t>(1, column.labels.size())};
  }
  double count = 0, sum = 0, squares = 0;
  const auto each = [&](auto&& use) {
    for (const DataColumn* column : columns)
      for (const double value : column->values)
        if (!std::isnan(value)) use(value);
  };
  each([&](double v) { ++count, sum += v; });
  const double center = count > 0 ? sum / count : 0;
  each([&](double v) { squares += (v - center) * (v - center); });
  const double scale = count > 0 ? std::sqrt(squares / count) : 0;
  return {center, scale > 0 && std::isfinite(scale) ? scale : 1, 0};
}

bool counts(const std::vector<const DataColumn*>& columns) {
  for (const DataColumn* column : columns)
    for (const double value : column->values)
      if (value < 0 || (!std::isnan(value) && value != std::floor(value))) return false;
  return true;
}

/// Center and scale of a reading over all samples and steps.
ColumnCoding coding_of(const std::vector<const DataColumn*>& steps, Reading reading) {
  double count = 0, sum = 0, squares = 0;
  const auto each = [&](auto&& use) {
    std::vector<double> one(steps.size());
    for (std::size_t i = 0; i < steps.front()->values.size(); ++i) {
      for (std::size_t t = 0; t < steps.size(); ++t) one[t] = steps[t]->values[i];
      for (const double value : readings(one, reading))
        if (!std::isnan(value)) use(value);
    }
  };
  each([&](double v) { ++count, sum += v; });
  const double center = count > 0 ? sum / count : 0;
  each([&](double v) { squares += (v - center) * (v - center); });
  const double scale = count > 0 ? std::sqrt(squares / count) : 0;
  return {center, scale > 0 && std::isfinite(scale) ? scale : 1, 0, reading};
}

/// A series of numbers is seen twice, as level and as change from step to step; counters on logarithmic scales.
std::vector<ColumnCoding> series_coding(const std::vector<const DataColumn*>& steps) {
  const DataColumn& first = *steps.front();
  if (as_labels(first) || first.indicator) return {coding_of(steps)};
  const bool logarithmic = counts(steps);
  return {coding_of(steps, logarithmic ? Reading::log_value : Reading::value),
          coding_of(steps, logarithmic ? Reading::log_change : Reading::change)};
}

Encoder encoder_of(const Feature& feature, MapKind kind) {
  if (kind == MapKind::mlp) return Encoder::mlp;
  if (feature.is_series()) return Encoder::gru;
  return feature.columns.size() > 1 ? Encoder::mlp : Encoder::identity;
}

struct Planned {
  FeatureCoding coding;
  std::uint64_t content = 0;
};

Planned plan_feature(const Feature& feature, std::size_t index, MapKind kind, std::size_t outputs) {
  Planned planned;
  FeatureCoding& coding = planned.coding;
  coding.feature = index;
  std::vector<std::pair<std::uint64_t, std::size_t>> by_content;
  for (std::size_t c = 0; c < feature.channels; ++c) {
    base::StreamKey key(5);
    for (const DataColumn* column : channel(feature, c)) key = key.with(content_of(*column));
    by_content.emplace_back(key.value(), c);
  }
  std::stable_sort(by_content.begin(), by_content.end());
  const Encoder encoder = encoder_of(feature, kind);
  base::StreamKey key(6);
  std::size_t width = 0;
  for (const auto& [content, c] : by_content) {
    const std::vector<const DataColumn*> steps = channel(feature, c);
    for (const ColumnCoding& column : encoder == Encoder::gru ? series_coding(steps) : std::vector{coding_of(steps)}) {
      coding.channels.push_back(c);
      coding.columns.push_back(column);
      width += column.width();
    }
    key = key.with(content);
  }
  planned.content = key.value();
  coding.shape = {encoder, feature.steps, width, encoder == Encoder::identity ? width * feature.steps : outputs};
  return planned;
}

bool never_changes(const Feature& feature) {
  for (std::size_t c = 0; c < feature.channels; ++c) {
    const std::vector<const DataColumn*> steps = channel(feature, c);
    if (as_labels(*steps.front())) return false;
    double first = std::nan("");
    for (const DataColumn* step : steps)
      for (const double value : step->values) {
        if (std::isnan(first)) first = value;
        if (!std::isnan(value) && value != first) return false;
      }
  }
  return true;
}

/// Series that need no map of their own. Equal series get one map: two trainings would make them differ.
std::vector<SetAside> set_aside(const Dataset& data, MapKind kind) {
  std::vector<SetAside> aside;
  const auto in_order = data.health.duplicates;
  for (std::size_t f = 0; f < data.features.size(); ++f) {
    const Feature& feature = data.features[f];
    if (encoder_of(feature, kind) != Encoder::gru) continue;
    if (never_changes(feature)) {
      aside.push_back({f, {}});
      continue;
    }
    for (const std::vector<std::string>& group : in_order) {
      if (std::find(group.begin(), group.end(), feature.name) == group.end()) continue;
      const std::string& first = *std::min_element(group.begin(), group.end());
      if (first != feature.name) aside.push_back({f, data.feature_index(first)});
    }
  }
  return aside;
}

}  // namespace

bool as_labels(const DataColumn& column) {
  return column.values.empty() || column.type == ColumnType::categorical;
}

std::vector<const DataColumn*> channel(const Feature& feature, std::size_t c) {
  std::vector<const DataColumn*> columns;
  for (std::size_t step = 0; step < feature.steps; ++step)
    columns.push_back(&feature.columns[step * feature.channels + c]);
  return columns;
}

Coding plan_coding(const Dataset& data, MapKind kind, std::size_t outputs) {
  Coding coding;
  coding.set_aside = set_aside(data, kind);
  const auto is_aside = [&](std::size_t f) {
    return std::any_of(coding.set_aside.begin(), coding.set_aside.end(),
                       [&](const SetAside& a) { return a.feature == f; });
  };
  std::vector<Planned> planned;
  for (std::size_t f = 0; f < data.features.size(); ++f)
    if (!is_aside(f)) planned.push_back(plan_feature(data.features[f], f, kind, outputs));
  if (planned.empty())
    throw InputError(
        fmt::format("{}: every feature is a series that never changes; there is nothing to learn", data.source));
  std::stable_sort(planned.begin(), planned.end(), [&](const Planned& a, const Planned& b) {
    const auto order = [&](const Planned& p) {
      const MapShape& s = p.coding.shape;
      return std::tuple(s.encoder, s.steps, s.width, s.outputs, p.content, data.features[p.coding.feature].name);
    };
    return order(a) < order(b);
  });
  for (Planned& p : planned) coding.features.push_back(std::move(p.coding));
  for (const DataColumn& column : data.target.columns) {
    if (as_labels(column) && !data.target_is_categorical())
      throw InputError(fmt::format(
          "feature maps need a target of numbers, or one column of labels: '{}' mixes them; choose one with "
          "--target, or --maps none",
          data.target.name));
    coding.target.columns.push_back(data.target_is_categorical() ? ColumnCoding{0, 1, column.labels.size()}
                                                                 : coding_of({&column}));
  }
  return coding;
}

std::vector<std::optional<std::uint32_t>> places_of(const Coding& coding) {
  std::vector<std::optional<std::uint32_t>> place(coding.features.size() + coding.set_aside.size());
  for (std::uint32_t f = 0; f < coding.features.size(); ++f) place[coding.features[f].feature] = f;
  for (const SetAside& aside : coding.set_aside)
    if (aside.equal_to) place[aside.feature] = place[*aside.equal_to];
  return place;
}

}  // namespace macmi::maps
