#include "data/columns/impute.hpp"

#include <algorithm>
#include <cmath>

namespace macmi::data {
namespace {

constexpr const char* missing_label = "(missing)";

bool any_missing(const DataColumn& column) {
  return std::any_of(column.missing.begin(), column.missing.end(), [](std::uint8_t m) { return m != 0; });
}

void fill_categories(DataColumn& column) {
  const auto known = std::find(column.labels.begin(), column.labels.end(), missing_label);
  const auto code = static_cast<std::int32_t>(known - column.labels.begin());
  if (known == column.labels.end()) column.labels.emplace_back(missing_label);
  std::replace(column.codes.begin(), column.codes.end(), std::int32_t{-1}, code);
  column.values.clear();
  column.type = ColumnType::categorical;
}

void fill_numbers(DataColumn& column) {
  for (double& value : column.values)
    if (std::isnan(value)) value = column.scaling.center;
}

DataColumn indicator_of(const DataColumn& column, std::size_t samples) {
  DataColumn indicator;
  indicator.name = column.name + " missing";
  indicator.type = ColumnType::boolean;
  indicator.indicator = true;
  indicator.values.resize(samples);
  for (std::size_t i = 0; i < column.missing.size(); ++i) indicator.values[i] = column.missing[i];
  return indicator;
}

/// Channels of numbers that get an indicator: those with a missing value in some step.
std::vector<std::size_t> indicated(const Feature& feature, const Feature* known) {
  std::vector<std::size_t> channels;
  for (std::size_t channel = 0; channel < feature.channels; ++channel) {
    bool wanted = false;
    for (std::size_t step = 0; step < feature.steps; ++step) {
      const DataColumn& column = feature.columns[step * feature.channels + channel];
      const bool by_known =
          known != nullptr && std::any_of(known->columns.begin(), known->columns.end(), [&](const DataColumn& k) {
            return k.indicator && k.name == column.name + " missing";
          });
      wanted = wanted || (!column.is_categorical() && (known != nullptr ? by_known : any_missing(column)));
    }
    if (wanted) channels.push_back(channel);
  }
  return channels;
}

}  // namespace

void impute(Dataset& data, const DataSchema* known) {
  for (std::size_t f = 0; f < data.features.size(); ++f) {
    Feature& feature = data.features[f];
    const std::vector<std::size_t> channels = indicated(feature, known != nullptr ? &known->features[f] : nullptr);
    std::vector<DataColumn> columns;
    for (std::size_t step = 0; step < feature.steps; ++step) {
      const auto begin = feature.columns.begin() + static_cast<std::ptrdiff_t>(step * feature.channels);
      for (std::size_t channel = 0; channel < feature.channels; ++channel)
        columns.push_back(std::move(begin[static_cast<std::ptrdiff_t>(channel)]));
      const std::size_t first = columns.size() - feature.channels;
      for (const std::size_t channel : channels)
        columns.push_back(indicator_of(columns[first + channel], data.samples()));
    }
    feature.columns = std::move(columns);
    feature.channels += channels.size();
    for (DataColumn& column : feature.columns) {
      if (column.is_categorical() && any_missing(column))
        fill_categories(column);
      else if (!column.is_categorical())
        fill_numbers(column);
    }
  }
}

}  // namespace macmi::data
