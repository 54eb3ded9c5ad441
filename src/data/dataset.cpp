#include "macmi/dataset.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <map>

#include "base/random.hpp"
#include "data/columns/name_match.hpp"
#include "macmi/error.hpp"

namespace macmi {

const char* type_name(ColumnType type) {
  switch (type) {
    case ColumnType::continuous:
      return "continuous";
    case ColumnType::integer:
      return "integer";
    case ColumnType::categorical:
      return "categorical";
    case ColumnType::boolean:
      return "boolean";
    case ColumnType::constant:
      return "constant";
  }
  return "";
}

ColumnType Feature::type() const {
  // From the most special to the most general.
  static constexpr ColumnType order[] = {ColumnType::constant, ColumnType::boolean, ColumnType::categorical,
                                         ColumnType::integer, ColumnType::continuous};
  std::size_t most = 0;
  for (const DataColumn& column : columns)
    if (!column.indicator)
      most = std::max(most, static_cast<std::size_t>(std::find(std::begin(order), std::end(order), column.type) -
                                                     std::begin(order)));
  return order[most];
}

std::size_t Feature::incomplete() const {
  std::vector<std::uint8_t> any;
  for (const DataColumn& column : columns) {
    any.resize(std::max(any.size(), column.missing.size()));
    for (std::size_t i = 0; i < column.missing.size(); ++i) any[i] |= column.missing[i];
  }
  return static_cast<std::size_t>(std::count(any.begin(), any.end(), std::uint8_t{1}));
}

bool Dataset::target_is_categorical() const {
  return target.columns.size() == 1 && target.columns[0].is_categorical();
}

const std::vector<std::string>& Dataset::classes() const {
  if (!target_is_categorical())
    throw InputError(fmt::format("{}: the target '{}' has no classes", source, target.name));
  return target.columns[0].labels;
}

std::vector<std::int32_t> Dataset::unit_numbers() const {
  std::map<std::string, std::int32_t> number;
  std::vector<std::int32_t> numbers;
  for (const std::string& unit : units)
    numbers.push_back(number.try_emplace(unit, static_cast<std::int32_t>(number.size())).first->second);
  return number.size() < units.size() ? numbers : std::vector<std::int32_t>();
}

std::vector<std::string> Dataset::feature_names() const {
  std::vector<std::string> names;
  for (const Feature& feature : features) names.push_back(feature.name);
  return names;
}

std::size_t Dataset::feature_index(const std::string& name) const {
  for (std::size_t f = 0; f < features.size(); ++f)
    if (features[f].name == name) return f;
  data::refuse_unknown(source, "feature", name, feature_names());
}

namespace {

base::StreamKey hash_of(const Feature& feature) {
  base::StreamKey key = base::StreamKey(0x6D61636D69).with(feature.name).with(feature.steps).with(feature.channels);
  for (const DataColumn& column : feature.columns) {
    key = key.with(column.name).with(static_cast<std::uint64_t>(column.type));
    for (const std::string& label : column.labels) key = key.with(label);
    for (const double value : column.values)
      key = key.with(std::isnan(value) ? 0x7ff8000000000000u : std::bit_cast<std::uint64_t>(value));
    if (column.values.empty())
      for (const std::int32_t code : column.codes) key = key.with(static_cast<std::uint64_t>(code));
    for (std::size_t i = 0; i < column.missing.size(); ++i)
      if (column.missing[i] != 0) key = key.with(i);
  }
  return key;
}

}  // namespace

std::string fingerprint(const Feature& feature) {
  return fmt::format("{:016x}", hash_of(feature).value());
}

std::string Dataset::fingerprint() const {
  std::vector<const Feature*> ordered;
  for (const Feature& feature : features) ordered.push_back(&feature);
  std::sort(ordered.begin(), ordered.end(), [](const Feature* a, const Feature* b) { return a->name < b->name; });
  base::StreamKey key = hash_of(target).with(samples());
  for (const Feature* feature : ordered) key = key.with(hash_of(*feature).value());
  for (const std::string& unit : units) key = key.with(unit);
  if (one_series) key = key.with("one series");
  return fmt::format("{:016x}", key.value());
}

Variable view(const Feature& feature, Booleans booleans) {
  Variable variable;
  for (const DataColumn& column : feature.columns) {
    const bool as_number = !column.is_categorical() || (booleans == Booleans::as_numbers && !column.values.empty());
    if (as_number)
      variable.add(NumericColumn{column.values.data(), 1, column.name}, column.values.size());
    else
      variable.add(CategoricalColumn{column.codes.data(), 1, column.name}, column.codes.size());
  }
  return variable;
}

std::vector<std::size_t> complete_rows(std::size_t samples, std::span<const Feature* const> features) {
  std::vector<std::uint8_t> incomplete(samples, 0);
  for (const Feature* feature : features)
    for (const DataColumn& column : feature->columns) {
      const bool numbers = !column.is_categorical();
      for (std::size_t i = 0; i < column.missing.size(); ++i)  // imputed values are not missing any more
        incomplete[i] |= column.missing[i] != 0 && (numbers ? std::isnan(column.values[i]) : column.codes[i] < 0);
    }
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < samples; ++i)
    if (incomplete[i] == 0) rows.push_back(i);
  return rows;
}

RowCopy::RowCopy(const Variable& from, std::span<const std::size_t> rows) {
  for (const NumericColumn& column : from.numeric()) {
    std::vector<double>& copy = numbers_.emplace_back();
    copy.reserve(rows.size());
    for (const std::size_t row : rows) copy.push_back(column[row]);
    variable_.add(NumericColumn{copy.data(), 1, column.name}, rows.size());
  }
  for (const CategoricalColumn& column : from.categorical()) {
    std::vector<std::int32_t>& copy = codes_.emplace_back();
    copy.reserve(rows.size());
    for (const std::size_t row : rows) copy.push_back(column[row]);
    variable_.add(CategoricalColumn{copy.data(), 1, column.name}, rows.size());
  }
}

DataSchema schema_of(const Dataset& data) {
  const auto without_samples = [](const Feature& feature) {
    Feature empty;
    empty.name = feature.name;
    empty.steps = feature.steps;
    empty.channels = feature.channels;
    for (const DataColumn& column : feature.columns) {
      DataColumn& bare = empty.columns.emplace_back();
      bare.name = column.name;
      bare.type = column.type;
      bare.labels = column.labels;
      bare.scaling = column.scaling;
      bare.indicator = column.indicator;
    }
    return empty;
  };
  DataSchema schema;
  for (const Feature& feature : data.features) schema.features.push_back(without_samples(feature));
  if (data.has_target()) schema.target = without_samples(data.target);
  schema.missing = data.missing;
  schema.layout = data.layout;
  return schema;
}

}  // namespace macmi
