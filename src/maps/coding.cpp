#include "maps/coding.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <numeric>
#include <tuple>

#include "base/random.hpp"
#include "base/vector/elementary.hpp"
#include "macmi/error.hpp"

namespace macmi::maps {
namespace {

constexpr double far = 6;  // standard deviations
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

bool as_labels(const DataColumn& column) {
  return column.values.empty() || column.type == ColumnType::categorical;
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

std::vector<const DataColumn*> channel(const Feature& feature, std::size_t c) {
  std::vector<const DataColumn*> columns;
  for (std::size_t step = 0; step < feature.steps; ++step)
    columns.push_back(&feature.columns[step * feature.channels + c]);
  return columns;
}

bool counts(const std::vector<const DataColumn*>& columns) {
  for (const DataColumn* column : columns)
    for (const double value : column->values)
      if (value < 0 || (!std::isnan(value) && value != std::floor(value))) return false;
  return true;
}

double signed_log(double value) {
  return std::copysign(base::exact_log(1 + std::abs(value)), value);  // of counts and their differences
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

bool present(const DataColumn& column, std::size_t sample) {
  return as_labels(column) ? column.codes[sample] >= 0 : !std::isnan(column.values[sample]);
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

/// The readings other than plain values of a feature's columns, for every sample.
class SeriesReadings {
 public:
  SeriesReadings(const Feature& feature, const FeatureCoding& coding)
      : steps_(feature.steps), of_column_(coding.columns.size()) {
    std::vector<double> one(steps_);
    for (std::size_t c = 0; c < coding.columns.size(); ++c) {
      if (coding.columns[c].reading == Reading::value) continue;
      const std::vector<const DataColumn*> steps = channel(feature, coding.channels[c]);
      for (std::size_t i = 0; i < steps.front()->values.size(); ++i) {
        for (std::size_t t = 0; t < steps_; ++t) one[t] = steps[t]->values[i];
        const std::vector<double> read = readings(one, coding.columns[c].reading);
        of_column_[c].insert(of_column_[c].end(), read.begin(), read.end());
      }
    }
  }
  double at(std::size_t column, std::size_t sample, std::size_t step) const {
    return of_column_[column][sample * steps_ + step];
  }

 private:
  std::size_t steps_;
  std::vector<std::vector<double>> of_column_;
};

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

float network_value(double reading, const ColumnCoding& coding) {
  const double z = (reading - coding.center) / coding.scale, size = std::abs(z);
  if (coding.reading != Reading::value) return static_cast<float>(std::clamp(z, -far, far));
  return static_cast<float>(size <= far ? z : std::copysign(far * (1 + base::exact_log(size / far)), z));
}

std::vector<double> readings(std::span<const double> steps, Reading reading) {
  std::vector<double> result(steps.begin(), steps.end());
  const bool change = reading == Reading::change || reading == Reading::log_change;
  const bool logarithmic = reading == Reading::log_value || reading == Reading::log_change;
  double before = std::nan("");
  for (double& value : result) {
    const double now = value;
    if (std::isnan(now)) continue;
    if (change) value = std::isnan(before) ? 0 : now - before;
    if (logarithmic) value = signed_log(value);
    before = now;
  }
  return result;
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

CodedFeatures code_features(const Dataset& data, const Coding& coding, const Architecture& architecture) {
  const std::size_t n = data.samples(), m = coding.features.size();
  CodedFeatures coded;
  for (const MapGroup& group : groups_of(architecture)) {
    const std::size_t steps = group.shape.steps, width = group.shape.width, row = group.count * steps * width;
    const bool masked = group.shape.encoder == Encoder::gru;
    std::vector<float>& values = coded.values.emplace_back(n * row, 0.0F);
    std::vector<std::uint8_t>& there = coded.present.emplace_back();
    for (std::size_t g = 0; g < group.count; ++g) {
      const FeatureCoding& f = coding.features[group.first + g];
      const Feature& feature = data.features[f.feature];
      std::vector<std::size_t> steps_there(n, 0);
      const SeriesReadings changes(feature, f);
      for (std::size_t t = 0; t < steps; ++t) {
        std::vector<std::size_t> channels_there(n, 0);
        std::size_t at = (g * steps + t) * width;
        for (std::size_t c = 0; c < f.channels.size(); at += f.columns[c++].width()) {
          const DataColumn& column = feature.columns[t * feature.channels + f.channels[c]];
          const ColumnCoding& code = f.columns[c];
          for (std::size_t i = 0; i < n; ++i) {
            if (!present(column, i)) continue;
            ++channels_there[i];
            if (code.reading != Reading::value)
              values[i * row + at] = network_value(changes.at(c, i, t), code);
            else if (code.labels == 0)
              values[i * row + at] = network_value(column.values[i], code);
            else if (static_cast<std::size_t>(column.codes[i]) < code.labels)
              values[i * row + at + static_cast<std::size_t>(column.codes[i])] = 1;
          }
        }
        for (std::size_t i = 0; i < n; ++i) {
          const bool here = masked ? channels_there[i] > 0 : channels_there[i] == f.channels.size();
          steps_there[i] += here;
          if (here || !masked) continue;
          if (there.empty()) there.assign(n * group.count * steps, 1);
          there[(i * group.count + g) * steps + t] = 0;
        }
      }
      for (std::size_t i = 0; i < n; ++i) {
        if (masked ? steps_there[i] > 0 : steps_there[i] == steps) continue;
        if (coded.known.empty()) coded.known.assign(n * m, 1);
        coded.known[i * m + group.first + g] = 0;
      }
    }
  }
  return coded;
}

std::vector<float> code_target(const Dataset& data, const Coding& coding, Family family) {
  const std::size_t n = data.samples(), width = data.target.columns.size();
  std::vector<float> values(n * width);
  for (std::size_t c = 0; c < width; ++c) {
    const DataColumn& column = data.target.columns[c];
    for (std::size_t i = 0; i < n; ++i)
      values[i * width + c] = family == Family::normal ? network_value(column.values[i], coding.target.columns[c])
                                                       : static_cast<float>(column.codes[i]);
  }
  return values;
}

}  // namespace macmi::maps
