#pragma once
#include <string>

#include "macmi/dataset.hpp"
#include "macmi/select.hpp"

namespace macmi::cli {

/// What a selection was made of.
struct SelectionInputs {
  DataOptions data;
  SelectOptions select;
};

/// The data and options of the command that a result records. `path`: of the result, for messages.
SelectionInputs selection_inputs(const std::string& command, const std::string& path);

}  // namespace macmi::cli
