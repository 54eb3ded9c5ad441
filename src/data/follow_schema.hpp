#pragma once
#include "data/table.hpp"
#include "macmi/data_options.hpp"
#include "macmi/dataset.hpp"

namespace macmi::data {

/// Makes the options ask for the features of `known`, made of columns as they were then, with their types; its target
/// too, where the new data has it. Throws InputError naming a column that is absent.
void follow_names(const DataSchema& known, const TableReader& table, DataOptions& options);

/// Gives the data set, in place, the known order of features, codes of labels and scaling. Throws InputError where a
/// feature is absent or has another shape.
void follow_values(const DataSchema& known, Dataset& data);

}  // namespace macmi::data
