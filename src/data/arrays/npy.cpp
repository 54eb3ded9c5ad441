#include "data/arrays/npy.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <cstdint>
#include <cstring>
#include <limits>

#include "macmi/error.hpp"

namespace macmi::data {
namespace {

/// The bytes of a number, the least significant first.
std::uint64_t bits(const NpyField& field, const char* at) {
  std::uint64_t value = 0;
  for (std::size_t i = 0; i < field.size; ++i) {
    const std::size_t from = field.big_endian ? field.size - 1 - i : i;
    value |= static_cast<std::uint64_t>(static_cast<unsigned char>(at[from])) << (8 * i);
  }
  return value;
}

template <class Number, class Bits>
double reinterpret(Bits word) {
  Number number;
  std::memcpy(&number, &word, sizeof number);
  return static_cast<double>(number);
}

/// IEEE 754 binary16.
double half(std::uint64_t word) {
  const double sign = (word & 0x8000u) != 0 ? -1.0 : 1.0;
  const int exponent = static_cast<int>(word >> 10 & 0x1f);
  const double fraction = static_cast<double>(word & 0x3ff);
  if (exponent == 31)
    return fraction == 0 ? sign * std::numeric_limits<double>::infinity() : std::numeric_limits<double>::quiet_NaN();
  return sign * (exponent == 0 ? std::ldexp(fraction, -24) : std::ldexp(fraction + 1024, exponent - 25));
}

void append_utf8(std::uint32_t point, std::string& text) {
  if (point > 0x10ffff || (point >= 0xd800 && point < 0xe000)) point = 0xfffd;
  const auto tail = [&](int shift) { text += static_cast<char>(0x80 | (point >> shift & 0x3f)); };
  if (point < 0x80) {
    text += static_cast<char>(point);
  } else if (point < 0x800) {
    text += static_cast<char>(0xc0 | point >> 6);
    tail(0);
  } else if (point < 0x10000) {
    text += static_cast<char>(0xe0 | point >> 12);
    tail(6);
    tail(0);
  } else {
    text += static_cast<char>(0xf0 | point >> 18);
    tail(12);
    tail(6);
    tail(0);
  }
}

/// A two's complement number of 1, 2, 4 or 8 bytes.
std::int64_t signed_number(std::uint64_t word, std::size_t bytes) {
  switch (bytes) {
    case 1:
      return static_cast<std::int8_t>(word);
    case 2:
      return static_cast<std::int16_t>(word);
    case 4:
      return static_cast<std::int32_t>(word);
    default:
      return static_cast<std::int64_t>(word);
  }
}

}  // namespace

double npy_number(const NpyField& field, const char* at) {
  const std::uint64_t word = bits(field, at);
  switch (field.kind) {
    case 'f':
      if (field.size == 8) return reinterpret<double>(word);
      return field.size == 4 ? reinterpret<float>(static_cast<std::uint32_t>(word)) : half(word);
    case 'i':
      return static_cast<double>(signed_number(word, field.size));
    case 'b':
      return word != 0;
    default:
      return static_cast<double>(word);
  }
}

std::string npy_text(const NpyField& field, const char* at) {
  if (field.kind == 'S') {
    std::size_t length = field.size;
    while (length > 0 && at[length - 1] == '\0') --length;
    return {at, length};
  }
  std::string text;
  NpyField point = field;
  point.size = 4;
  std::size_t length = field.size / 4;
  while (length > 0 && bits(point, at + 4 * (length - 1)) == 0) --length;
  for (std::size_t i = 0; i < length; ++i) append_utf8(static_cast<std::uint32_t>(bits(point, at + 4 * i)), text);
  return text;
}

NpyArray parse_npy(std::string_view bytes, const std::string& name) {
  const NpyHeader header = parse_npy_header(bytes, name);
  if (header.fields.size() != 1 || header.fields[0].is_text())
    throw InputError(fmt::format("{}: an array of plain numbers is needed here", name));
  NpyArray array{header.shape, std::vector<double>(header.elements())};
  std::vector<std::size_t> index(header.shape.size(), 0);
  for (std::size_t i = 0; i < array.values.size(); ++i) {
    const double value = npy_number(header.fields[0], bytes.data() + header.data + i * header.element_size);
    if (!header.fortran) {
      array.values[i] = value;
      continue;
    }
    std::size_t place = 0;  // the first index runs fastest in the file
    for (std::size_t d = 0; d < index.size(); ++d) place = place * header.shape[d] + index[d];
    array.values[place] = value;
    for (std::size_t d = 0; d < index.size() && ++index[d] == header.shape[d]; ++d) index[d] = 0;
  }
  return array;
}

}  // namespace macmi::data
