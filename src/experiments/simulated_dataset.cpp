#include "experiments/simulated_dataset.hpp"

#include <numeric>

namespace macmi {
namespace {

DataColumn number_column(std::string name, std::vector<double> values) {
  DataColumn column;
  column.name = std::move(name);
  column.values = std::move(values);
  return column;
}

}  // namespace

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
    data.features.back().columns.push_back(number_column(table.names[c], std::move(table.columns[c])));
  }
  data.target.columns.push_back(number_column(table.names.back(), std::move(table.columns.back())));
  return data;
}

}  // namespace macmi
