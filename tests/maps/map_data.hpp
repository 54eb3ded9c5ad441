#pragma once
#include <fmt/format.h>

#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "experiments/simulations/bullseye.hpp"
#include "macmi/maps.hpp"

namespace macmi::testing {

inline DataColumn column(const std::string& name, std::vector<double> values) {
  DataColumn made;
  made.name = name;
  made.values = std::move(values);
  return made;
}

/// Copies of one feature of two columns; the target hangs on its radius (the bullseye in two dimensions).
inline Dataset rings(std::size_t n, std::uint64_t seed, std::size_t copies) {
  experiments::SimulatedTable table = experiments::bullseye2d(n, 0.3, seed);
  Dataset data;
  data.source = "rings";
  data.rows.resize(n);
  std::iota(data.rows.begin(), data.rows.end(), std::uint64_t{0});
  for (std::size_t c = 0; c < copies; ++c) {
    Feature& feature = data.features.emplace_back();
    feature.name = fmt::format("x{}", c + 1);
    feature.channels = 2;
    for (std::size_t d = 0; d < 2; ++d) feature.columns.push_back(column(table.names[d], table.columns[d]));
  }
  data.target.name = table.names[2];
  data.target.columns.push_back(column(table.names[2], table.columns[2]));
  return data;
}

/// A vector, a series with gaps, a number and labels; the target hangs on the first two.
inline Dataset mixed(std::size_t n, std::size_t classes) {
  base::RandomStream random(base::StreamKey(21).with("mixed"));
  Dataset data;
  data.source = "mixed";
  data.rows.resize(n);
  std::iota(data.rows.begin(), data.rows.end(), std::uint64_t{0});
  std::vector<std::vector<double>> v(2, std::vector<double>(n)), s(4, std::vector<double>(n));
  std::vector<double> number(n), y(n);
  DataColumn labels;
  for (std::size_t i = 0; i < n; ++i) {
    double level = 0;
    for (auto& c : v) c[i] = random.normal();
    for (auto& c : s) level += (c[i] = random.normal()) / 2;
    if (i % 7 == 0) s[1][i] = std::nan("");
    if (i % 50 == 0) v[1][i] = std::nan("");
    number[i] = random.normal();
    labels.codes.push_back(static_cast<std::int32_t>(random.below(3)));
    y[i] = v[0][i] + level + 0.2 * random.normal();
  }
  const auto add = [&](const std::string& name, std::vector<DataColumn> columns, std::size_t steps) {
    Feature& f = data.features.emplace_back();
    f.name = name;
    f.steps = steps;
    f.channels = columns.size() / steps;
    f.columns = std::move(columns);
  };
  labels.name = "labels";
  labels.type = ColumnType::categorical;
  labels.labels = {"a", "b", "c"};
  add("series", {column("s0", s[0]), column("s1", s[1]), column("s2", s[2]), column("s3", s[3])}, 4);
  add("number", {column("number", number)}, 1);
  add("vector", {column("v0", v[0]), column("v1", v[1])}, 1);
  add("labels", {labels}, 1);
  data.target.name = std::string(1, 'y');
  DataColumn target = column("y", y);
  if (classes > 0) {
    target.values.clear();
    target.type = ColumnType::categorical;
    for (const double value : y)
      target.codes.push_back(static_cast<std::int32_t>(value > 0) + (classes == 3 && value > 1));
    for (std::size_t c = 0; c < classes; ++c) target.labels.push_back(std::string(1, static_cast<char>('0' + c)));
  }
  data.target.columns.push_back(std::move(target));
  return data;
}

/// A training that takes a fraction of a second.
inline MapsOptions quick() {
  MapsOptions o;
  o.epochs = 6;
  o.restarts = 2;
  o.folds = 1;
  o.seed = 5;
  return o;
}

/// Every number of every feature, gaps as a number too: for comparisons of bits.
inline std::vector<double> all_values(const Dataset& data) {
  std::vector<double> values;
  for (const Feature& feature : data.features)
    for (const DataColumn& c : feature.columns)
      for (const double v : c.values) values.push_back(std::isnan(v) ? -1e300 : v);
  return values;
}

}  // namespace macmi::testing
