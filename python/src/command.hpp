#pragma once
#include <pybind11/pybind11.h>

namespace macmi::python {

void bind_command(pybind11::module_& module);

}  // namespace macmi::python
