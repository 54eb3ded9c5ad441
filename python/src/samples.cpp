#include "samples.hpp"

#include <pybind11/stl.h>

#include <cstdint>

#include "macmi/error.hpp"

namespace macmi::python {
namespace {

/// Number of elements between neighbours along an axis.
std::ptrdiff_t stride(const py::buffer_info& buffer, std::size_t axis) {
  return static_cast<std::ptrdiff_t>(buffer.strides[axis]) / static_cast<std::ptrdiff_t>(buffer.itemsize);
}

bool is_numbers(const py::buffer_info& buffer) {
  const bool numbers = buffer.item_type_is_equivalent_to<double>();
  if (!numbers && !buffer.item_type_is_equivalent_to<std::int32_t>())
    throw InputError("an array is neither float64 nor int32");  // the Python side converts before
  return numbers;
}

void add_block(Variable& variable, const std::vector<std::string>& names, const py::buffer_info& buffer) {
  const auto samples = static_cast<std::size_t>(buffer.shape[0]);
  const bool numbers = is_numbers(buffer);
  for (std::size_t c = 0; c < names.size(); ++c) {
    const std::ptrdiff_t offset = c == 0 ? 0 : static_cast<std::ptrdiff_t>(c) * stride(buffer, 1);
    if (numbers)
      variable.add(NumericColumn{static_cast<const double*>(buffer.ptr) + offset, stride(buffer, 0), names[c]},
                   samples);
    else
      variable.add(
          CategoricalColumn{static_cast<const std::int32_t*>(buffer.ptr) + offset, stride(buffer, 0), names[c]},
          samples);
  }
}

}  // namespace

Variable variable_of(const py::list& blocks, Held& held) {
  Variable variable;
  for (const py::handle& block : blocks) {
    const auto [names, array] = block.cast<std::pair<std::vector<std::string>, py::buffer>>();
    held.push_back(array.request());
    add_block(variable, names, held.back());
  }
  return variable;
}

MemoryTable table_of(const std::string& source, const py::list& columns, Held& held) {
  MemoryTable table;
  table.source = source;
  for (const py::handle& entry : columns) {
    const auto parts = entry.cast<py::tuple>();
    held.push_back(parts[3].cast<py::buffer>().request());
    const py::buffer_info& buffer = held.back();
    MemoryColumn column{.name = parts[0].cast<std::string>(), .stride = stride(buffer, 0)};
    column.feature = parts[1].cast<std::string>();
    column.step = parts[2].cast<std::size_t>();
    if (is_numbers(buffer)) {
      column.numbers = static_cast<const double*>(buffer.ptr);
    } else {
      column.codes = static_cast<const std::int32_t*>(buffer.ptr);
      column.labels = parts[4].cast<std::vector<std::string>>();
    }
    table.rows = static_cast<std::size_t>(buffer.shape[0]);
    table.columns.push_back(std::move(column));
  }
  return table;
}

}  // namespace macmi::python
