// The option declarations as Python sees them.
#include "options.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <algorithm>

#include "base/suggest.hpp"
#include "macmi/error.hpp"
#include "macmi/estimate.hpp"
#include "macmi/graph.hpp"
#include "macmi/select.hpp"

namespace macmi::python {
namespace {

/// The name of a value's type in Python.
const char* kind(const Option& option) {
  if (std::holds_alternative<bool*>(option.field)) return "bool";
  if (std::holds_alternative<double*>(option.field)) return "float";
  if (std::holds_alternative<std::int64_t*>(option.field) || std::holds_alternative<std::uint64_t*>(option.field))
    return "int";
  if (std::holds_alternative<std::vector<std::string>*>(option.field)) return "list";
  if (std::holds_alternative<NeighbourCount*>(option.field)) return "neighbours";
  if (std::holds_alternative<std::optional<std::uint64_t>*>(option.field)) return "int or auto";
  return "str";
}

/// (name, default as text, kind, what it accepts, meaning) of every option of a declaration.
py::list declared(const std::string& group) {
  EstimateOptions estimate;
  TestOptions test;
  SelectOptions select;
  DataOptions data;
  GraphOptions graph;
  const auto options = group == "estimate" ? declare(estimate)
                       : group == "test"   ? declare(test)
                       : group == "select" ? declare(select)
                       : group == "graph"  ? declare(graph)
                                           : declare(data);
  py::list all;
  for (const Option& option : options)
    all.append(py::make_tuple(option.name, value_text(option), kind(option), accepts_text(option), option.meaning));
  return all;
}

}  // namespace

void fill(const std::vector<Option>& options, const py::dict& values) {
  for (const auto& [key, value] : values) {
    const auto name = key.cast<std::string>();
    const auto at = std::find_if(options.begin(), options.end(), [&](const Option& o) { return o.name == name; });
    if (at == options.end()) {
      std::vector<std::string> names;
      for (const Option& option : options) names.push_back(option.name);
      throw InputError(fmt::format("there is no option '{}'{}", name, base::did_you_mean(name, names)));
    }
    auto* const* list = std::get_if<std::vector<std::string>*>(&at->field);
    if (list != nullptr && py::isinstance<py::list>(value))
      **list = value.cast<std::vector<std::string>>();
    else
      set_from_text(*at, value.cast<std::string>());
  }
}

void bind_options(py::module_& module) {
  module.def("declared", &declared, py::arg("group"));
}

}  // namespace macmi::python
