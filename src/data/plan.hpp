#pragma once
#include <optional>
#include <string>
#include <vector>

#include "data/table.hpp"
#include "macmi/data_options.hpp"
#include "macmi/dataset.hpp"

namespace macmi::data {

/// A feature before its values are read: the columns of the table it is made of, columns[step * channels + channel].
struct PlannedFeature {
  std::string name;
  std::size_t steps = 1;
  std::size_t channels = 0;
  std::vector<std::size_t> columns;
};

/// The columns to read and the features they become, decided from the names alone.
struct DataPlan {
  std::vector<PlannedFeature> features;
  PlannedFeature target;                         ///< no columns when the data has no target
  std::optional<std::size_t> id, time, unit;     ///< columns; an id comes with a time and without a unit
  std::optional<std::size_t> weight;             ///< a column; without an id and without a time
  std::vector<std::optional<ColumnType>> types;  ///< per column of the table: what the user says it is
};

/// Applies --target, --id, --time, --unit, --weight, --group, --features, --exclude and --type. Throws InputError.
DataPlan plan_data(const DataOptions& options, const TableReader& table);

}  // namespace macmi::data
