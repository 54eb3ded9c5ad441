#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

#include "data/arrays/npy_header.hpp"

namespace macmi::data {

/// A NumPy array as doubles, last index fastest.
struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// Reads the bytes of a .npy file of plain numbers or booleans, C or Fortran order. Throws InputError naming `name`.
NpyArray parse_npy(std::string_view bytes, const std::string& name);

/// One value of a field that lies at `at`.
double npy_number(const NpyField& field, const char* at);
std::string npy_text(const NpyField& field, const char* at);

}  // namespace macmi::data
