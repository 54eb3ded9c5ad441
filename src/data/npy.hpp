#pragma once
#include <cstddef>
#include <string>
#include <vector>

namespace macmi {

/// A NumPy array as doubles, last index fastest.
struct NpyArray {
  std::vector<std::size_t> shape;
  std::vector<double> values;
};

/// Reads a .npy file (format versions 1 to 3; little-endian floats, integers and booleans; C or Fortran order).
/// Throws InputError naming the file.
NpyArray read_npy(const std::string& path);
/// The same from the bytes of a file; `name` is for messages.
NpyArray parse_npy(const std::string& bytes, const std::string& name);

}  // namespace macmi
