#pragma once
#include <pybind11/pybind11.h>

#include <vector>

#include "macmi/options.hpp"

namespace macmi::python {

namespace py = pybind11;

/// Sets options from {name: text, or list of texts}. Throws InputError for a name or value that is not accepted.
void fill(const std::vector<Option>& options, const py::dict& values);

void bind_options(py::module_& module);

}  // namespace macmi::python
