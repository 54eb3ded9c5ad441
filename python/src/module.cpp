// macmi._native: what the Python package calls. Arrays come as buffers, options as texts, results as dicts or JSON;
// what people see is made of it in python/macmi.
#include <pybind11/pybind11.h>

#include "command.hpp"
#include "graph.hpp"
#include "independence.hpp"
#include "macmi/error.hpp"
#include "macmi/version.hpp"
#include "options.hpp"
#include "selection.hpp"

PYBIND11_MODULE(_native, module) {
  namespace py = pybind11;
  py::register_exception_translator([](std::exception_ptr thrown) {
    try {
      if (thrown) std::rethrow_exception(thrown);
    } catch (const macmi::InputError& error) {
      PyErr_SetString(PyExc_ValueError, error.what());
    } catch (const macmi::Cancelled&) {
      PyErr_SetNone(PyExc_KeyboardInterrupt);
    } catch (const macmi::Error& error) {
      PyErr_SetString(PyExc_RuntimeError, error.what());
    }
  });
  module.attr("__version__") = macmi::version();
  macmi::python::bind_command(module);
  macmi::python::bind_options(module);
  macmi::python::bind_independence(module);
  macmi::python::bind_selection(module);
  macmi::python::bind_graph(module);
}
