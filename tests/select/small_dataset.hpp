#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <utility>
#include <vector>

#include "base/random.hpp"
#include "macmi/dataset.hpp"

namespace macmi::testing {

inline DataColumn numbers(std::string name, std::vector<double> values) {
  DataColumn column;
  column.name = std::move(name);
  column.values = std::move(values);
  return column;
}

inline DataColumn labels(std::string name, const std::vector<std::int32_t>& codes) {
  DataColumn column;
  column.name = std::move(name);
  column.type = ColumnType::categorical;
  column.codes = codes;
  for (std::int32_t c = 0; c <= *std::max_element(codes.begin(), codes.end()); ++c)
    column.labels.push_back(fmt::format("class {}", c));
  return column;
}

/// A data set of one-column features, the last column being the target.
inline Dataset dataset_of(std::vector<DataColumn> columns) {
  Dataset data;
  data.source = "memory";
  const std::size_t n = std::max(columns.front().values.size(), columns.front().codes.size());
  data.rows.resize(n);
  std::iota(data.rows.begin(), data.rows.end(), std::uint64_t{0});
  data.target.name = columns.back().name;
  data.target.columns.push_back(std::move(columns.back()));
  columns.pop_back();
  for (DataColumn& column : columns) {
    Feature feature;
    feature.name = column.name;
    feature.columns.push_back(std::move(column));
    data.features.push_back(std::move(feature));
  }
  return data;
}

/// a → t ← b, t → c ← d, a → e, and noise; every link but the noise is not monotone or not linear.
inline std::vector<DataColumn> curved_network(std::size_t n, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("curved"));
  std::vector<double> a(n), b(n), c(n), d(n), e(n), noise(n), t(n);
  for (std::size_t i = 0; i < n; ++i) {
    a[i] = random.normal(), b[i] = random.normal(), d[i] = random.normal(), noise[i] = random.normal();
    t[i] = a[i] * a[i] + 1.5 * std::cos(2 * b[i]) + 0.3 * random.normal();
    c[i] = 1.2 * t[i] + d[i] * d[i] + 0.2 * random.normal();
    e[i] = std::abs(a[i]) + 0.5 * random.normal();
  }
  return {numbers("a", a), numbers("b", b),         numbers("c", c), numbers("d", d),
          numbers("e", e), numbers("noise", noise), numbers("t", t)};
}

}  // namespace macmi::testing
