#pragma once
#include "macmi/dataset.hpp"

namespace macmi::data {

/// Fills in what is missing: numbers by the recorded mean, with an indicator channel behind the channels of the
/// feature; categories by a label of their own, "(missing)". With `known`, indicators are added exactly where it has
/// them.
void impute(Dataset& data, const DataSchema* known);

}  // namespace macmi::data
