#include "macmi/dataset.hpp"

namespace macmi {
namespace {

template <class Value>
std::vector<Value> taken(const std::vector<Value>& from, std::span<const std::size_t> rows) {
  std::vector<Value> values;
  if (from.empty()) return values;
  values.reserve(rows.size());
  for (const std::size_t row : rows) values.push_back(from[row]);
  return values;
}

Feature taken(const Feature& from, std::span<const std::size_t> rows) {
  Feature feature{from.name, from.steps, from.channels, {}};
  for (const DataColumn& c : from.columns)
    feature.columns.push_back({c.name, c.type, taken(c.values, rows), taken(c.codes, rows), c.labels,
                               taken(c.missing, rows), c.scaling, c.indicator});
  return feature;
}

}  // namespace

Dataset take_samples(const Dataset& data, std::span<const std::size_t> rows) {
  Dataset part;
  part.source = data.source;
  for (const Feature& feature : data.features) part.features.push_back(taken(feature, rows));
  part.target = taken(data.target, rows);
  part.units = taken(data.units, rows);
  part.one_series = data.one_series;
  part.rows = taken(data.rows, rows);
  part.missing = data.missing;
  part.layout = data.layout;
  part.health = data.health;
  return part;
}

}  // namespace macmi
