#include "data/npy.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <limits>
#include <sstream>

#include "macmi/error.hpp"

namespace macmi {
namespace {

[[noreturn]] void refuse(const std::string& name, const std::string& what) {
  throw InputError(fmt::format("{}: not a .npy array that macmi reads: {}", name, what));
}

/// The text between `key`: and the next comma or brace outside parentheses, in the header's Python dictionary.
std::string entry(const std::string& header, const std::string& key, const std::string& name) {
  const std::size_t at = header.find("'" + key + "'");
  const std::size_t colon = at == std::string::npos ? at : header.find(':', at);
  if (colon == std::string::npos) refuse(name, "the header has no '" + key + "'");
  std::string value;
  int depth = 0;
  for (std::size_t p = colon + 1; p < header.size(); ++p) {
    const char c = header[p];
    if (depth == 0 && (c == ',' || c == '}')) break;
    depth += c == '(' ? 1 : c == ')' ? -1 : 0;
    if (c != ' ' && c != '\'') value += c;
  }
  return value;
}

std::vector<std::size_t> parse_shape(const std::string& text, const std::string& name) {
  std::vector<std::size_t> shape;
  std::stringstream parts(text.substr(text.find('(') + 1));
  std::string part;
  while (std::getline(parts, part, ',')) {
    if (part.empty() || part[0] == ')') continue;
    std::size_t length = 0;
    for (const char c : part) {
      if (c == ')') break;
      if (c < '0' || c > '9' || length > std::numeric_limits<std::uint32_t>::max()) refuse(name, "bad shape " + text);
      length = length * 10 + static_cast<std::size_t>(c - '0');
    }
    shape.push_back(length);
  }
  return shape;
}

template <class T>
void convert(const char* bytes, std::vector<double>& values) {
  for (std::size_t i = 0; i < values.size(); ++i) {
    T value;
    std::memcpy(&value, bytes + i * sizeof(T), sizeof(T));
    values[i] = static_cast<double>(value);
  }
}

using Converter = void (*)(const char*, std::vector<double>&);
struct Kind {
  std::size_t size;
  Converter convert;
};

Kind kind_of(const std::string& descr, const std::string& name) {
  const std::string type = !descr.empty() && (descr[0] == '<' || descr[0] == '|') ? descr.substr(1) : descr;
  if (type == "f8") return {8, convert<double>};
  if (type == "f4") return {4, convert<float>};
  if (type == "i8") return {8, convert<std::int64_t>};
  if (type == "i4") return {4, convert<std::int32_t>};
  if (type == "i2") return {2, convert<std::int16_t>};
  if (type == "i1") return {1, convert<std::int8_t>};
  if (type == "u8") return {8, convert<std::uint64_t>};
  if (type == "u4") return {4, convert<std::uint32_t>};
  if (type == "u2") return {2, convert<std::uint16_t>};
  if (type == "u1" || type == "b1") return {1, convert<std::uint8_t>};
  refuse(name, fmt::format("numbers of type '{}'; save it as float64", descr));
}

/// First index fastest to last index fastest.
std::vector<double> from_fortran(const std::vector<double>& values, const std::vector<std::size_t>& shape) {
  std::vector<double> out(values.size());
  std::vector<std::size_t> index(shape.size(), 0);
  for (const double value : values) {
    std::size_t place = 0;
    for (std::size_t d = 0; d < shape.size(); ++d) place = place * shape[d] + index[d];
    out[place] = value;
    for (std::size_t d = 0; d < shape.size() && ++index[d] == shape[d]; ++d) index[d] = 0;
  }
  return out;
}

}  // namespace

NpyArray parse_npy(const std::string& bytes, const std::string& name) {
  if (bytes.size() < 12 || bytes.compare(0, 6, "\x93NUMPY") != 0) refuse(name, "the magic bytes are missing");
  const auto byte = [&](std::size_t i) { return static_cast<std::size_t>(static_cast<unsigned char>(bytes[i])); };
  const std::size_t start = byte(6) == 1 ? 10 : 12;
  const std::size_t length = byte(8) | byte(9) << 8 | (start == 12 ? byte(10) << 16 | byte(11) << 24 : 0);
  if (byte(6) < 1 || byte(6) > 3 || bytes.size() < start + length) refuse(name, "the header is cut off");
  const std::string header = bytes.substr(start, length);

  NpyArray array;
  const Kind kind = kind_of(entry(header, "descr", name), name);
  array.shape = parse_shape(entry(header, "shape", name), name);
  const std::size_t available = (bytes.size() - start - length) / kind.size;
  std::size_t count = 1;
  for (const std::size_t extent : array.shape) {
    if (extent != 0 && count > available / extent) refuse(name, "the file is shorter than its shape says");
    count *= extent;
  }
  array.values.resize(count);
  kind.convert(bytes.data() + start + length, array.values);
  if (entry(header, "fortran_order", name) == "True") array.values = from_fortran(array.values, array.shape);
  return array;
}

NpyArray read_npy(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::stringstream content;
  if (!file || !(content << file.rdbuf())) throw InputError(fmt::format("{}: cannot be read, or is empty", path));
  return parse_npy(content.str(), path);
}

}  // namespace macmi
