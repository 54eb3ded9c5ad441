#pragma once
#include <pybind11/pybind11.h>

namespace macmi::python {

void bind_selection(pybind11::module_& module);

}  // namespace macmi::python
