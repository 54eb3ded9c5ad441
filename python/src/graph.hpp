#pragma once
#include <pybind11/pybind11.h>

namespace macmi::python {

void bind_graph(pybind11::module_& module);

}  // namespace macmi::python
