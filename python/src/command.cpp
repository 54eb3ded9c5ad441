// macmi._native.run_program: what the `macmi` command of the package calls.
#include "command.hpp"

#include <pybind11/stl.h>

#include "program.hpp"

namespace macmi::python {

void bind_command(pybind11::module_& module) {
  namespace py = pybind11;
  module.def("run_program", &cli::run_program, py::arg("words"), py::call_guard<py::gil_scoped_release>());
}

}  // namespace macmi::python
