#pragma once
#include <string>

#include "macmi/data_options.hpp"
#include "macmi/dataset.hpp"

namespace macmi::data {

/// Adds a remark on rows that belong together or follow each other in time. Of one series, stretches of its rows become
/// the units that parts of the samples are made of.
void say_what_belongs_together(Dataset& data, const DataOptions& options);

/// Adds to every feature of numbers with one column its values so many rows before, within the unit: 'x@-1'. Rows that
/// have none before them have no value. `lags` is "1" or "1..5". Throws InputError.
void add_lags(Dataset& data, const std::string& lags);

}  // namespace macmi::data
