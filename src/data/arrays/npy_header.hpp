#pragma once
#include <cstddef>
#include <string>
#include <string_view>
#include <vector>

namespace macmi::data {

/// One field of an array's elements; a plain array has one, without a name.
struct NpyField {
  std::string name;
  char kind = 'f';         ///< f, i, u: numbers; b: boolean; S: bytes; U: UTF-32 text
  std::size_t size = 8;    ///< bytes
  std::size_t offset = 0;  ///< inside the element
  bool big_endian = false;

  bool is_text() const { return kind == 'S' || kind == 'U'; }
};

struct NpyHeader {
  std::vector<NpyField> fields;
  std::vector<std::size_t> shape;
  bool fortran = false;
  std::size_t element_size = 0;
  std::size_t data = 0;  ///< where the elements begin

  std::size_t elements() const;
};

/// The header of a .npy file (format versions 1 to 3), checked against the number of bytes there are. `name` is for
/// messages. Throws InputError.
NpyHeader parse_npy_header(std::string_view bytes, const std::string& name);

}  // namespace macmi::data
