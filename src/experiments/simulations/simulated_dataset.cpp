#include "experiments/simulations/simulated_dataset.hpp"

#include <numeric>

namespace macmi::experiments {
namespace {

DataColumn number_column(std::string name, std::vector<double> values) {
  DataColumn column;
  column.name = std::move(name);
  column.values = std::move(values);
  return column;
}

}  // namespace

/// Classes "c0", "c1", … of a column of codes.
DataColumn class_column(std::string name, const std::vector<double>& codes) {
  DataColumn column;
  column.name = std::move(name);
  column.type = ColumnType::categorical;
  for (const double code : codes) {
    column.codes.push_back(static_cast<std::int32_t>(code));
    while (column.labels.size() <= static_cast<std::size_t>(code))
      column.labels.push_back("c" + std::to_string(column.labels.size()));
  }
  return column;
}

DataColumn simulated_column(SimulatedTable& table, std::size_t c) {
  if (c < table.labels.size() && !table.labels[c].empty()) return class_column(table.names[c], table.columns[c]);
  return number_column(table.names[c], std::move(table.columns[c]));
}

Dataset as_dataset(SimulatedTable table, std::size_t width) {
  Dataset data;
  data.source = "simulated";
  data.rows.resize(table.columns.front().size());
  std::iota(data.rows.begin(), data.rows.end(), std::uint64_t{0});
  data.target.name = table.names.back();
  for (std::size_t c = 0; c + 1 < table.columns.size(); ++c) {
    if (c % width == 0) {
      Feature& feature = data.features.emplace_back();
      feature.name = table.names[c].substr(0, table.names[c].find('_'));
      feature.channels = width;
    }
    data.features.back().columns.push_back(simulated_column(table, c));
  }
  data.target.columns.push_back(simulated_column(table, table.columns.size() - 1));
  return data;
}

}  // namespace macmi::experiments
