#include "run/run_lock.hpp"

#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <charconv>
#include <cstring>

#include "macmi/error.hpp"

namespace macmi::run {
namespace {

std::int64_t process_in(int file) {
  char text[32] = {};
  const ssize_t length = pread(file, text, sizeof text, 0);
  std::int64_t process = 0;
  if (length > 0) std::from_chars(text, text + length, process);
  return process;
}

/// A lock of the open file (not of the process): closing another descriptor of the same file does not drop it, and one
/// can ask for it without taking it.
struct flock whole_file(short type) {
  struct flock lock = {};
  lock.l_type = type;
  lock.l_whence = SEEK_SET;
  return lock;
}

/// The file that was opened is still the one of that name (somebody may have removed it meanwhile).
bool still_there(int file, const std::string& path) {
  struct stat opened = {}, named = {};
  return fstat(file, &opened) == 0 && stat(path.c_str(), &named) == 0 && opened.st_ino == named.st_ino &&
         opened.st_dev == named.st_dev;
}

}  // namespace

RunLock::RunLock(const std::string& directory) {
  const std::string path = directory + "/" + lock_name;
  for (;;) {
    file_ = open(path.c_str(), O_RDWR | O_CREAT | O_CLOEXEC, 0666);
    if (file_ < 0) throw InputError(fmt::format("the run {} cannot be written: {}", directory, std::strerror(errno)));
    struct flock lock = whole_file(F_WRLCK);
    if (fcntl(file_, F_OFD_SETLK, &lock) != 0) {
      const std::int64_t process = process_in(file_);
      close(file_);
      throw InputError(fmt::format(
          "the run {} is in use by process {}: wait until it ends, or choose another directory", directory, process));
    }
    if (still_there(file_, path)) break;
    close(file_);
  }
  left_behind_by_ = process_in(file_);
  const std::string text = fmt::format("{}\n", getpid());
  if (ftruncate(file_, 0) != 0 || pwrite(file_, text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    const std::string reason = std::strerror(errno);
    close(file_);
    throw InputError(fmt::format("the run {} cannot be written: {}", directory, reason));
  }
}

RunLock::~RunLock() {
  [[maybe_unused]] const int emptied = ftruncate(file_, 0);  // closed in order: nobody left it behind
  close(file_);
}

std::int64_t lock_holder(const std::string& directory) {
  const int file = open((directory + "/" + lock_name).c_str(), O_RDONLY | O_CLOEXEC);
  if (file < 0) return 0;
  struct flock lock = whole_file(F_WRLCK);
  const bool held = fcntl(file, F_OFD_GETLK, &lock) == 0 && lock.l_type != F_UNLCK;
  const std::int64_t process = held ? process_in(file) : 0;
  close(file);
  return process;
}

}  // namespace macmi::run
