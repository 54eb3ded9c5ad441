#pragma once
#include <fmt/format.h>
#include <sys/resource.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "macmi/dataset.hpp"

namespace macmi::study {

/// The code that a page was measured on: " at commit …" where MACMI_COMMIT names it.
inline std::string measured_at() {
  const char* commit = std::getenv("MACMI_COMMIT");
  return commit ? fmt::format(" at commit {}", commit) : "";
}

inline DataColumn number_column(std::string name, std::vector<double> values) {
  DataColumn column;
  column.name = std::move(name);
  column.values = std::move(values);
  return column;
}

inline DataColumn class_column(std::string name, const std::vector<double>& codes, std::size_t classes) {
  DataColumn column;
  column.name = std::move(name);
  column.type = ColumnType::categorical;
  for (const double code : codes) column.codes.push_back(static_cast<std::int32_t>(code));
  for (std::size_t c = 0; c < classes; ++c) column.labels.push_back(fmt::format("class {}", c));
  return column;
}

/// A data set under construction.
inline Dataset empty_dataset(std::size_t n) {
  Dataset data;
  data.source = "simulated";
  data.rows.resize(n);
  std::iota(data.rows.begin(), data.rows.end(), std::uint64_t{0});
  data.target.name = std::string(1, 'y');  // GCC 12 warns of the assignment of a literal
  return data;
}

/// Columns x1_0, x1_1, … become features of `width` columns, the last column the target.
inline Dataset grouped(std::vector<std::string> names, std::vector<std::vector<double>> columns, std::size_t width) {
  Dataset data = empty_dataset(columns.front().size());
  for (std::size_t c = 0; c + 1 < columns.size(); ++c) {
    if (c % width == 0) {
      Feature& feature = data.features.emplace_back();
      feature.name = names[c].substr(0, names[c].find('_'));
      feature.channels = width;
    }
    data.features.back().columns.push_back(number_column(names[c], std::move(columns[c])));
  }
  data.target.columns.push_back(number_column("y", std::move(columns.back())));
  return data;
}

inline std::vector<double> ranks(const std::vector<double>& values) {
  std::vector<std::size_t> order(values.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return values[a] < values[b]; });
  std::vector<double> result(values.size());
  for (std::size_t r = 0; r < order.size(); ++r) result[order[r]] = static_cast<double>(r);
  return result;
}

inline double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double ma = std::accumulate(a.begin(), a.end(), 0.0) / n, mb = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    ab += (a[i] - ma) * (b[i] - mb), aa += (a[i] - ma) * (a[i] - ma), bb += (b[i] - mb) * (b[i] - mb);
  return ab / std::sqrt(aa * bb);
}

inline double rank_correlation(const std::vector<double>& a, const std::vector<double>& b) {
  return correlation(ranks(a), ranks(b));
}

/// CPU seconds of this process so far.
inline double cpu_seconds() {
  rusage usage{};
  getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& t) {
    return static_cast<double>(t.tv_sec) + static_cast<double>(t.tv_usec) * 1e-6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

}  // namespace macmi::study
