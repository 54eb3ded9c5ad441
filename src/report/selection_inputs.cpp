// The options of a result, back from their texts.
#include <fmt/format.h>

#include <algorithm>

#include "macmi/error.hpp"
#include "macmi/report.hpp"

namespace macmi {
namespace {

void fill(const std::vector<Option>& options, const OptionTexts& texts, const std::string& source) {
  for (const auto& [name, value] : texts) {
    const auto named = [&, &wanted = name](const Option& option) { return option.name == wanted; };
    const auto option = std::find_if(options.begin(), options.end(), named);
    if (option == options.end())
      throw InputError(
          fmt::format("{} was made with an option that this version of macmi does not have: --{}", source, name));
    set_from_text(*option, value);
  }
}

}  // namespace

SelectionInputs selection_inputs(const Selection& selection, const std::string& source) {
  if (selection.data_options.empty())
    throw InputError(fmt::format("{} does not say how its data was read: select again with this version", source));
  SelectionInputs inputs;
  fill(declare(inputs.data), selection.data_options, source);
  fill(declare(inputs.select), selection.options, source);
  return inputs;
}

}  // namespace macmi
