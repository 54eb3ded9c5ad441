#pragma once
// Samples that Python owns, seen in place.
#include <pybind11/pybind11.h>

#include <string>
#include <vector>

#include "macmi/memory_table.hpp"
#include "macmi/variable.hpp"

namespace macmi::python {

namespace py = pybind11;

/// Buffers that views point into: kept until the work is done, and given back with the GIL held.
using Held = std::vector<py::buffer_info>;

/// A variable from blocks (names, array): arrays of float64 are numbers and of int32 category codes, of one or two
/// dimensions (samples × columns), with any strides that are whole elements. Nothing is copied.
Variable variable_of(const py::list& blocks, Held& held);

/// A table from columns (name, feature, step, array, labels): as in MemoryColumn; labels are None for numbers.
MemoryTable table_of(const std::string& source, const py::list& columns, Held& held);

}  // namespace macmi::python
