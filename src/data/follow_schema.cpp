#include "data/follow_schema.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/number_of.hpp"
#include "data/columns/name_match.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

/// Labels get their known codes; labels never seen become missing. Returns how many values did.
std::size_t recode(const DataColumn& known, DataColumn& column) {
  std::vector<std::int32_t> code_of;
  for (const std::string& label : column.labels) {
    const auto at = std::find(known.labels.begin(), known.labels.end(), label);
    code_of.push_back(at == known.labels.end() ? -1 : static_cast<std::int32_t>(at - known.labels.begin()));
  }
  std::size_t unseen = 0;
  for (std::size_t i = 0; i < column.codes.size(); ++i) {
    if (column.codes[i] < 0) continue;
    column.codes[i] = code_of[column.codes[i]];
    if (column.codes[i] >= 0) continue;
    ++unseen;
    column.missing.resize(column.codes.size());
    column.missing[i] = 1;
  }
  column.labels = known.labels;
  return unseen;
}

void follow(const DataColumn& known, DataColumn& column, Dataset& data) {
  const bool labels = !known.labels.empty();
  if (labels && column.codes.empty())  // a column that happens to be constant numbers here
    for (double value : column.values) {
      const std::string label = fmt::format("{}", value);
      const auto at = std::find(column.labels.begin(), column.labels.end(), label);
      const bool absent = value != value;
      column.codes.push_back(absent ? -1 : static_cast<std::int32_t>(at - column.labels.begin()));
      if (!absent && at == column.labels.end()) column.labels.push_back(label);
    }
  if (!labels && column.values.empty())
    throw InputError(
        fmt::format("{}: column '{}' holds text where the data before had numbers", data.source, column.name));
  if (labels) {
    if (const std::size_t unseen = recode(known, column); unseen > 0)
      data.health.remarks.push_back(
          fmt::format("column '{}' has {} with labels never seen before, which count as missing", column.name,
                      base::number_of(unseen, "value")));
  } else {
    column.codes.clear();
    column.labels.clear();
  }
  column.type = known.type;
  column.scaling = known.scaling;
}

void follow(const Feature& known, Feature& feature, Dataset& data) {
  std::vector<const DataColumn*> columns;
  for (const DataColumn& column : known.columns)
    if (!column.indicator) columns.push_back(&column);
  if (feature.steps != known.steps || feature.columns.size() != columns.size())
    throw InputError(fmt::format("{}: feature '{}' has {} and {} where the data before had {} and {}", data.source,
                                 known.name, base::number_of(feature.steps, "step"),
                                 base::number_of(feature.columns.size(), "column"), known.steps, columns.size()));
  for (std::size_t c = 0; c < columns.size(); ++c) {
    if (feature.columns[c].name != columns[c]->name)
      throw InputError(fmt::format("{}: feature '{}' has the column '{}' where the data before had '{}'", data.source,
                                   known.name, feature.columns[c].name, columns[c]->name));
    follow(*columns[c], feature.columns[c], data);
  }
}

}  // namespace

void follow_names(const DataSchema& known, const TableReader& table, DataOptions& options) {
  const auto has = [&](const std::string& name) {
    return std::any_of(table.columns().begin(), table.columns().end(),
                       [&](const ColumnInfo& c) { return c.name == name; });
  };
  const DataLayout& layout = known.layout;
  if (options.group.empty()) options.group = layout.group;
  if (options.id.empty()) options.id = layout.id;
  if (options.time.empty()) options.time = layout.time;
  if (options.window == 0 && !options.id.empty())
    for (const Feature& feature : known.features)
      options.window = std::max<std::uint64_t>(options.window, feature.steps);
  if (options.type.empty())
    for (const std::string& type : layout.type)
      if (has(type.substr(0, type.rfind('=')))) options.type.push_back(type);
  const auto say_categorical = [&](const DataColumn& column) {
    const bool said = std::any_of(options.type.begin(), options.type.end(),
                                  [&](const std::string& type) { return type.starts_with(column.name + "="); });
    if (has(column.name) && !said) options.type.push_back(column.name + "=categorical");
  };
  const auto require = [&](const std::string& column, const Feature& feature) {
    if (!has(column))
      throw InputError(fmt::format("{}: column '{}' is missing; the maps were learned from it (feature '{}')",
                                   table.source(), column, feature.name));
  };
  for (const Feature& feature : known.features) {
    if (!options.id.empty() && options.group.empty()) require(feature.name, feature);
    for (const DataColumn& column : feature.columns)
      if (options.id.empty() && !column.indicator) require(column.name, feature);
  }
  options.features.clear();
  options.exclude.clear();
  for (const Feature& feature : known.features) options.features.push_back(feature.name);
  options.target.clear();
  for (const DataColumn& column : known.target.columns)
    if (has(column.name)) options.target.push_back(column.name);
  if (options.target.size() != known.target.columns.size()) options.target.clear();
  for (const DataColumn& column : known.target.columns)
    if (!column.labels.empty()) say_categorical(column);
  for (const Feature& feature : known.features)
    for (const DataColumn& column : feature.columns)
      if (column.type == ColumnType::categorical) say_categorical(column);
}

void follow_values(const DataSchema& known, Dataset& data) {
  std::vector<Feature> ordered;
  for (const Feature& feature : known.features) {
    ordered.push_back(std::move(data.features[data.feature_index(feature.name)]));
    follow(feature, ordered.back(), data);
  }
  data.features = std::move(ordered);
  if (data.has_target()) follow(known.target, data.target, data);
}

}  // namespace macmi::data
