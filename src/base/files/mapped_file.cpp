#include "base/files/mapped_file.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

#include "macmi/error.hpp"

namespace macmi::base {

MappedFile::MappedFile(const std::string& path) {
  const int file = ::open(path.c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) throw InputError(fmt::format("{} cannot be read: {}", path, std::strerror(errno)));
  struct stat about {};
  if (::fstat(file, &about) == 0 && about.st_size > 0) {
    size_ = static_cast<std::size_t>(about.st_size);
    start_ = ::mmap(nullptr, size_, PROT_READ, MAP_PRIVATE, file, 0);
  }
  const int reason = errno;
  ::close(file);
  if (size_ == 0) throw InputError(fmt::format("{} is empty", path));
  if (start_ == MAP_FAILED) throw InputError(fmt::format("{} cannot be read: {}", path, std::strerror(reason)));
}

MappedFile::~MappedFile() {
  if (start_ != nullptr && start_ != MAP_FAILED) ::munmap(start_, size_);
}

}  // namespace macmi::base
