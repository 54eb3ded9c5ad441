#pragma once
#include <chrono>
#include <condition_variable>
#include <exception>
#include <functional>
#include <mutex>
#include <thread>
#include <vector>

#include "run/stored_test.hpp"

namespace macmi::run {

/// Hands tests to a thread of its own, which writes all that have come since the last time at once, so that those who
/// make tests do not wait for the disk.
class WriteBehind {
 public:
  using Write = std::function<void(const std::vector<StoredTest>&)>;
  explicit WriteBehind(Write write);
  /// Writes what is left.
  ~WriteBehind();
  WriteBehind(const WriteBehind&) = delete;
  WriteBehind& operator=(const WriteBehind&) = delete;

  /// Returns at once, unless very many wait. Throws what `write` threw, from then on.
  void append(StoredTest test);
  /// Waits until all are written.
  void flush();

 private:
  void work();
  bool take(std::vector<StoredTest>& tests);  ///< false: closing, and nothing is left
  void done(std::size_t tests, std::exception_ptr error);

  Write write_;
  std::mutex mutex_;
  std::condition_variable work_, done_;
  std::vector<StoredTest> queue_;
  std::size_t pending_ = 0;  ///< queued or being written
  bool closing_ = false, urgent_ = false;
  std::exception_ptr error_;
  double next_cpu_ = 0;                           ///< processor time of the process, and
  std::chrono::steady_clock::time_point latest_;  ///< the hour, at which to write again
  std::jthread writer_;
};

}  // namespace macmi::run
