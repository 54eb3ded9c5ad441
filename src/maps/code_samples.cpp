// Samples as network input, by a coding that is there.
#include <algorithm>
#include <cmath>

#include "base/vector/elementary.hpp"
#include "maps/coding.hpp"

namespace macmi::maps {
namespace {

constexpr double far = 6;  // standard deviations

double signed_log(double value) {
  return std::copysign(base::exact_log(1 + std::abs(value)), value);  // of counts and their differences
}

bool present(const DataColumn& column, std::size_t sample) {
  return as_labels(column) ? column.codes[sample] >= 0 : !std::isnan(column.values[sample]);
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
