#include "data/named_variables.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>

#include "data/columns/name_match.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

[[noreturn]] void refuse(const Dataset& data, const std::string& name) {
  std::vector<std::string> known;
  for (const Feature& feature : data.features) {
    known.push_back(feature.name);
    for (const DataColumn& column : feature.columns)
      if (column.name != feature.name) known.push_back(column.name);
  }
  refuse_unknown(data.source, "column", name, known);
}

/// The columns of the feature of this name; a single column, where that is one.
void add_columns(const Dataset& data, const std::string& name, Feature& variable) {
  for (const Feature& feature : data.features) {
    if (feature.name == name) {
      variable.columns.insert(variable.columns.end(), feature.columns.begin(), feature.columns.end());
      return;
    }
    for (const DataColumn& column : feature.columns)
      if (column.name == name) return variable.columns.push_back(column);
  }
  refuse(data, name);
}

/// Numbers the labels in the order of their first sample, as the Python functions do, so that both give the same bits:
/// which class is 0 shows in the last digits of a correlation.
void number_by_appearance(DataColumn& column) {
  std::vector<std::int32_t> new_code(column.labels.size(), -1);
  std::int32_t next = 0;
  for (std::int32_t& code : column.codes) {
    if (code < 0) continue;
    std::int32_t& number = new_code[static_cast<std::size_t>(code)];
    if (number < 0) number = next++;
    code = number;
  }
}

Feature columns_of(const Dataset& data, const NamedVariables::Names& names) {
  Feature variable;
  for (const std::string& name : names) add_columns(data, name, variable);
  for (DataColumn& column : variable.columns)
    if (column.type == ColumnType::categorical) number_by_appearance(column);
  return variable;
}

}  // namespace

NamedVariables::NamedVariables(const Dataset& data, const Names& x, const Names& y, const Names& z) {
  const Feature features[] = {columns_of(data, x), columns_of(data, y), columns_of(data, z)};
  const std::array<const Feature*, 3> all = {&features[0], &features[1], &features[2]};
  const std::vector<std::size_t> rows = complete_rows(data.samples(), all);
  if (rows.empty()) throw InputError(fmt::format("{}: no sample has a value in all of these columns", data.source));
  if (rows.size() < data.samples())
    remark_ = fmt::format("{} of {} samples have a value in all it needs", rows.size(), data.samples());
  if (const std::vector<std::int32_t> units = data.unit_numbers(); !units.empty())
    for (const std::size_t row : rows) units_.push_back(units[row]);
  one_series_ = data.one_series;
  x_.emplace(view(features[0]), rows);
  y_.emplace(view(features[1]), rows);
  z_.emplace(view(features[2]), rows);
}

}  // namespace macmi::data
