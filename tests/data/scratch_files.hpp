#pragma once
#include <zlib.h>

#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <string>
#include <vector>

namespace macmi::data {

/// A directory of its own for one test, removed with it.
class ScratchDirectory {
 public:
  ScratchDirectory() {
    std::string name = (std::filesystem::temp_directory_path() / "macmi-test-XXXXXX").string();
    if (::mkdtemp(name.data()) == nullptr) std::abort();
    path_ = name;
  }
  ~ScratchDirectory() {
    std::error_code ignored;
    std::filesystem::remove_all(path_, ignored);
  }
  ScratchDirectory(const ScratchDirectory&) = delete;
  ScratchDirectory& operator=(const ScratchDirectory&) = delete;

  std::string path(const std::string& name) const { return (path_ / name).string(); }
  std::string write(const std::string& name, const std::string& bytes) const {
    std::ofstream(path_ / name, std::ios::binary) << bytes;
    return path(name);
  }
  std::string write_gzip(const std::string& name, const std::string& bytes) const {
    gzFile file = ::gzopen(path(name).c_str(), "wb");
    ::gzwrite(file, bytes.data(), static_cast<unsigned>(bytes.size()));
    ::gzclose(file);
    return path(name);
  }

 private:
  std::filesystem::path path_;
};

inline std::string little_endian(std::uint64_t value, std::size_t size) {
  std::string bytes;
  for (std::size_t i = 0; i < size; ++i) bytes += static_cast<char>(value >> (8 * i));
  return bytes;
}

template <class T>
std::string bytes_of(const T* values, std::size_t count) {
  std::string bytes(count * sizeof(T), '\0');
  std::memcpy(bytes.data(), values, bytes.size());
  return bytes;
}

/// The bytes of a .npy file (format version 1.0, as NEP 1 describes it).
inline std::string npy_bytes(const std::string& descr, const std::string& shape, const std::string& data,
                             bool fortran = false) {
  std::string header =
      "{'descr': " + descr + ", 'fortran_order': " + (fortran ? "True" : "False") + ", 'shape': " + shape + ", }";
  while ((header.size() + 11) % 64 != 0) header += ' ';
  header += '\n';
  return "\x93NUMPY" + std::string("\x01\x00", 2) + little_endian(header.size(), 2) + header + data;
}

/// A zip archive of stored or deflated members (PKWARE APPNOTE), as numpy.savez and savez_compressed write.
inline std::string npz_bytes(const std::vector<std::pair<std::string, std::string>>& members, bool deflate) {
  std::string archive, directory;
  for (const auto& [name, content] : members) {
    std::string packed = content;
    if (deflate) {
      z_stream stream{};
      ::deflateInit2(&stream, 6, Z_DEFLATED, -MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
      packed.resize(::deflateBound(&stream, content.size()));
      stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
      stream.avail_in = static_cast<uInt>(content.size());
      stream.next_out = reinterpret_cast<Bytef*>(packed.data());
      stream.avail_out = static_cast<uInt>(packed.size());
      ::deflate(&stream, Z_FINISH);
      packed.resize(stream.total_out);
      ::deflateEnd(&stream);
    }
    const std::uint64_t crc =
        ::crc32(0, reinterpret_cast<const Bytef*>(content.data()), static_cast<uInt>(content.size()));
    const std::string common = little_endian(20, 2) + little_endian(0, 2) + little_endian(deflate ? 8 : 0, 2) +
                               little_endian(0, 4) + little_endian(crc, 4) + little_endian(packed.size(), 4) +
                               little_endian(content.size(), 4) + little_endian(name.size(), 2) + little_endian(0, 2);
    directory += "PK\x01\x02" + little_endian(20, 2) + common + little_endian(0, 2) + little_endian(0, 2) +
                 little_endian(0, 2) + little_endian(0, 4) + little_endian(archive.size(), 4) + name;
    archive += "PK\x03\x04" + common + name + packed;
  }
  const std::size_t offset = archive.size();
  return archive + directory + "PK\x05\x06" + little_endian(0, 4) + little_endian(members.size(), 2) +
         little_endian(members.size(), 2) + little_endian(directory.size(), 4) + little_endian(offset, 4) +
         little_endian(0, 2);
}

}  // namespace macmi::data
