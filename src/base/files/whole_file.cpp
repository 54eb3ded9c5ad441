#include "base/files/whole_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "macmi/error.hpp"

namespace macmi::base {
namespace {

[[noreturn]] void refuse(const std::string& path, int error) {
  throw InputError(fmt::format("{} cannot be written: {}", path, std::strerror(error)));
}

/// Waits until what the system keeps in memory of the file (or directory) is on disk.
void sync_to_disk(const std::string& path) {
  const int file = open(path.c_str(), O_RDONLY | O_CLOEXEC);
  const bool done = file >= 0 && fsync(file) == 0;
  const int error = errno;
  if (file >= 0) close(file);
  if (!done && error != EINVAL) refuse(path, error);  // EINVAL: a file system without it
}

}  // namespace

void write_whole_file(const std::string& path, std::string_view content) {
  const std::string unfinished = path + ".part";
  std::FILE* file = std::fopen(unfinished.c_str(), "wb");
  if (file == nullptr) refuse(path, errno);
  bool written = std::fwrite(content.data(), 1, content.size(), file) == content.size();
  int error = errno;
  if (std::fclose(file) != 0 && written) {
    written = false;
    error = errno;
  }
  if (!written) {
    std::remove(unfinished.c_str());
    refuse(path, error);
  }
  put_in_place(unfinished, path);
}

void put_in_place(const std::string& finished, const std::string& path) {
  sync_to_disk(finished);
  if (std::rename(finished.c_str(), path.c_str()) != 0) refuse(path, errno);
  const std::string folder = std::filesystem::path(path).parent_path().string();
  sync_to_disk(folder.empty() ? "." : folder);
}

std::string read_whole_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::string content{std::istreambuf_iterator<char>(file), std::istreambuf_iterator<char>()};
  if (!file.is_open() || file.bad()) throw InputError(fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  return content;
}

void make_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) throw InputError(fmt::format("{} cannot be made: {}", path, error.message()));
  if (!std::filesystem::is_directory(path)) throw InputError(fmt::format("{} is not a directory", path));
}

}  // namespace macmi::base
