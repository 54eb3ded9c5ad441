#include "select/prepared_samples.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "cmi/prepare.hpp"

namespace macmi::select {
namespace {

/// A hash of a column's values.
std::uint64_t content_of(const NumericColumn& column, std::size_t n) {
  base::StreamKey key(1);
  for (std::size_t i = 0; i < n; ++i) key = key.with(std::bit_cast<std::uint64_t>(column[i]));
  return key.value();
}

std::uint64_t content_of(const CategoricalColumn& column, std::size_t n) {
  base::StreamKey key(2);
  for (std::size_t i = 0; i < n; ++i) key = key.with(static_cast<std::uint64_t>(static_cast<std::uint32_t>(column[i])));
  return key.value();
}

bool present(double value) {
  return !std::isnan(value);
}
bool present(std::int32_t code) {
  return code >= 0;
}

template <class Column>
bool varies(const Column& column, std::size_t n) {
  std::size_t first = 0;
  while (first < n && !present(column[first])) ++first;
  for (std::size_t i = first; i < n; ++i)
    if (present(column[i]) && column[i] != column[first]) return true;
  return false;
}

/// Columns in the order of their contents, named by them.
template <class Column>
void add_in_order(const std::vector<Column>& columns, std::size_t n, Variable& v,
                  std::vector<std::uint64_t>& contents) {
  std::vector<std::pair<std::uint64_t, const Column*>> order;
  for (const Column& column : columns) order.emplace_back(content_of(column, n), &column);
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  for (const auto& [content, column] : order) {
    v.add(*column, n);
    contents.push_back(content);
  }
}

/// The present values of all columns on one scale, their common root mean square deviation.
std::vector<std::vector<double>> scaled_together(const std::vector<NumericColumn>& columns, std::size_t n) {
  std::vector<std::vector<double>> values(columns.size());
  for (std::size_t c = 0; c < columns.size(); ++c)
    for (std::size_t i = 0; i < n; ++i)
      if (present(columns[c][i])) values[c].push_back(columns[c][i]);
  std::erase_if(values, [](const auto& column) { return column.empty(); });
  if (!values.empty()) estimation::apply_transform(values, Transform::block);
  std::vector<std::vector<double>> all;
  for (std::size_t c = 0, kept = 0; c < columns.size(); ++c) {
    std::vector<double> column(n, std::numeric_limits<double>::quiet_NaN());
    std::size_t next = 0;
    for (std::size_t i = 0; i < n; ++i)
      if (present(columns[c][i])) column[i] = values[kept][next++];
    kept += next > 0;
    all.push_back(std::move(column));
  }
  return all;
}

PreparedFeature prepare(const Feature& feature, bool equal_scales) {
  const Variable as_read = view(feature);
  const std::size_t n = as_read.samples();
  PreparedFeature part;
  Variable ordered;
  std::vector<std::uint64_t> contents;
  add_in_order(as_read.numeric(), n, ordered, contents);
  add_in_order(as_read.categorical(), n, ordered, contents);
  base::StreamKey key(3);
  for (const std::uint64_t content : contents) key = key.with(content);
  part.content = fmt::format("{:016x}", key.value());
  part.constant = !select::varies(ordered);
  for (std::size_t i = 0; i < n; ++i) {
    bool complete = true;
    for (const auto& column : ordered.numeric()) complete = complete && present(column[i]);
    for (const auto& column : ordered.categorical()) complete = complete && present(column[i]);
    if (!complete && part.complete.empty()) part.complete.assign(n, true);
    if (!complete) part.complete[i] = false;
  }
  if (!equal_scales) {
    part.variable = std::move(ordered);
    return part;
  }
  part.scaled = scaled_together(ordered.numeric(), n);
  for (std::size_t c = 0; c < part.scaled.size(); ++c)
    part.variable.add(NumericColumn{part.scaled[c].data(), 1, ordered.numeric()[c].name}, n);
  for (const CategoricalColumn& column : ordered.categorical()) part.variable.add(column, n);
  return part;
}

}  // namespace

bool varies(const Variable& v) {
  const auto column_varies = [&](const auto& column) { return varies(column, v.samples()); };
  return std::any_of(v.numeric().begin(), v.numeric().end(), column_varies) ||
         std::any_of(v.categorical().begin(), v.categorical().end(), column_varies);
}

std::vector<std::int32_t> PreparedSamples::units_on(const std::vector<std::size_t>& rows) const {
  std::vector<std::int32_t> some;
  if (!units.empty())
    for (const std::size_t row : rows) some.push_back(units[row]);
  return some;
}

PreparedSamples prepare_samples(const Dataset& data, bool equal_scales, std::vector<std::int32_t> folds) {
  PreparedSamples prepared;
  prepared.samples = data.samples();
  prepared.names = data.feature_names();
  prepared.target = prepare(data.target, equal_scales);
  for (const Feature& feature : data.features) prepared.features.push_back(prepare(feature, equal_scales));
  prepared.folds = std::move(folds);
  prepared.units = data.unit_numbers();
  prepared.one_series = data.one_series;
  return prepared;
}

}  // namespace macmi::select
