#include "data/arrays/write_npy.hpp"

#include <fmt/format.h>

#include <cerrno>
#include <cstdio>
#include <cstring>

#include "macmi/error.hpp"

namespace macmi::data {

void write_npy(const std::string& path, std::span<const double> values, const std::vector<std::size_t>& shape) {
  std::string extents;
  for (const std::size_t extent : shape) extents += fmt::format("{},", extent);
  std::string header = fmt::format("{{'descr': '<f8', 'fortran_order': False, 'shape': ({}), }}", extents);
  constexpr std::size_t before = 10, multiple = 64;  // magic, version and length; the data starts at a multiple of 64
  header.append((multiple - (before + header.size() + 1) % multiple) % multiple, ' ');
  header += '\n';
  std::string head("\x93NUMPY\x01\x00", 8);
  head += static_cast<char>(header.size() & 0xFF);
  head += static_cast<char>(header.size() >> 8);
  head += header;
  const std::string unfinished = path + ".part";
  std::FILE* file = std::fopen(unfinished.c_str(), "wb");
  bool good = file != nullptr && std::fwrite(head.data(), 1, head.size(), file) == head.size() &&
              std::fwrite(values.data(), sizeof(double), values.size(), file) == values.size();
  if (file != nullptr) good = std::fclose(file) == 0 && good;
  if (good && std::rename(unfinished.c_str(), path.c_str()) == 0) return;
  const std::string reason = std::strerror(errno);
  std::remove(unfinished.c_str());
  throw InputError(fmt::format("{} cannot be written: {}", path, reason));
}

}  // namespace macmi::data
