#pragma once
#include <cstdint>
#include <string>

namespace macmi::run {

/// One process at a time in a run directory. The kernel holds the lock for the process and drops it when the process
/// ends in whatever way, so that a file left behind locks nobody out; the file tells others who holds it.
class RunLock {
 public:
  /// Throws InputError naming the holder's process id.
  explicit RunLock(const std::string& directory);
  ~RunLock();
  RunLock(const RunLock&) = delete;
  RunLock& operator=(const RunLock&) = delete;

  /// The process that left the file behind without closing the run; 0: none.
  std::int64_t left_behind_by() const { return left_behind_by_; }

 private:
  int file_ = -1;
  std::int64_t left_behind_by_ = 0;
};

/// The process that holds the directory now; 0: none.
std::int64_t lock_holder(const std::string& directory);

inline constexpr const char* lock_name = "lock";

}  // namespace macmi::run
