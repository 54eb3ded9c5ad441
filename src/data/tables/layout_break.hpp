#pragma once
#include <optional>
#include <string>

#include "macmi/dataset.hpp"

namespace macmi::data {

/// A remark when, from one row on, several columns never have a value again that always had one, while several others
/// begin to: the mark of a header that no longer fits its columns (files of two layouts joined under one header). Rows
/// sorted by kind look the same, so it is a question, not an error.
std::optional<std::string> layout_break(const Dataset& data);

}  // namespace macmi::data
