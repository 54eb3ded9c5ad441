#include "maps/mapped_dataset.hpp"

#include <fmt/format.h>

#include <cmath>
#include <limits>

namespace macmi::maps {
namespace {

/// Brings the block of columns to zero mean and unit mean square over `rows`; all zero when it does not vary.
void normalise(std::vector<std::vector<double>>& columns, const std::vector<std::int32_t>& rows, bool nothing) {
  double squares = 0, count = 0;
  for (std::vector<double>& column : columns) {
    double sum = 0, there = 0;
    for (const std::int32_t i : rows)
      if (!std::isnan(column[static_cast<std::size_t>(i)])) sum += column[static_cast<std::size_t>(i)], ++there;
    for (const std::int32_t i : rows) {
      double& value = column[static_cast<std::size_t>(i)];
      value -= sum / std::max(1.0, there);
      if (!std::isnan(value)) squares += value * value, ++count;
    }
  }
  const double scale = count > 0 ? std::sqrt(squares / count) : 0;
  for (std::vector<double>& column : columns)
    for (const std::int32_t i : rows)
      if (double& value = column[static_cast<std::size_t>(i)]; !std::isnan(value))
        value = scale > 0 && !nothing ? value / scale : 0;
}

}  // namespace

void map_dataset(LearnedMaps::State& s, const Dataset& data) {
  s.mapped = data;
  const std::size_t n = data.samples(), m = s.coding.features.size(), total = s.architecture.map_columns();
  std::size_t offset = 0;
  for (std::size_t f = 0; f < m; offset += s.coding.features[f++].shape.outputs) {
    const FeatureCoding& coding = s.coding.features[f];
    if (coding.shape.encoder == Encoder::identity) continue;
    std::vector<std::vector<double>> columns(coding.shape.outputs,
                                             std::vector<double>(n, std::numeric_limits<double>::quiet_NaN()));
    for (std::size_t j = 0; j < s.models.size(); ++j) {
      const std::vector<std::int32_t>& rows = s.rows[j].apply;
      for (std::size_t r = 0; r < rows.size(); ++r) {
        const auto i = static_cast<std::size_t>(rows[r]);
        if (!s.features.known.empty() && s.features.known[i * m + f] == 0) continue;
        for (std::size_t c = 0; c < columns.size(); ++c) columns[c][i] = s.models[j].maps[r * total + offset + c];
      }
      normalise(columns, rows, found_nothing(s.models[j].divergence[f]));
    }
    Feature& mapped = s.mapped.features[coding.feature];
    mapped.steps = 1;
    mapped.channels = columns.size();
    mapped.columns.clear();
    for (std::size_t c = 0; c < columns.size(); ++c) {
      DataColumn& column = mapped.columns.emplace_back();
      column.name = columns.size() == 1 ? mapped.name : fmt::format("{} {}", mapped.name, c + 1);
      column.values = std::move(columns[c]);
      if (s.features.known.empty()) continue;
      column.missing.resize(n);
      for (std::size_t i = 0; i < n; ++i) column.missing[i] = s.features.known[i * m + f] == 0;
    }
  }
  for (const SetAside& aside : s.coding.set_aside) {
    Feature& mapped = s.mapped.features[aside.feature];
    const std::string name = mapped.name;
    if (aside.equal_to) {
      mapped = s.mapped.features[*aside.equal_to];
      mapped.name = name;
      continue;
    }
    mapped.steps = mapped.channels = 1;
    mapped.columns.resize(1);
    mapped.columns[0] = {.name = name,
                         .type = ColumnType::constant,
                         .values = std::vector<double>(n, 0),
                         .codes = {},
                         .labels = {},
                         .missing = {},
                         .scaling = {},
                         .indicator = false};
  }
}

}  // namespace macmi::maps
