#include "run/write_behind.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace macmi {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Between two times passes at least 200 times the processor time that the last one took (half a percent), within these
/// limits: quick tests are written together, slow ones at once.
constexpr double pause_per_cpu = 200;
constexpr Seconds shortest_pause{0.005}, longest_pause{0.2};
/// Tests that may wait before those who make them have to.
constexpr std::size_t most_waiting = 10000;

double thread_cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

WriteBehind::WriteBehind(Write write) : write_(std::move(write)), next_(Clock::now()), writer_([this] { work(); }) {}

WriteBehind::~WriteBehind() {
  {
    const std::lock_guard lock(mutex_);
    closing_ = true;
  }
  work_.notify_one();
}

void WriteBehind::append(StoredTest test) {
  std::unique_lock lock(mutex_);
  done_.wait(lock, [&] { return pending_ < most_waiting || error_; });
  if (error_) std::rethrow_exception(error_);
  queue_.push_back(std::move(test));
  ++pending_;
  if (queue_.size() == 1) work_.notify_one();
}

void WriteBehind::flush() {
  std::unique_lock lock(mutex_);
  urgent_ = true;
  work_.notify_one();
  done_.wait(lock, [&] { return pending_ == 0 || error_; });
  urgent_ = false;
  if (error_) std::rethrow_exception(error_);
}

void WriteBehind::work() {
  std::vector<StoredTest> tests;
  while (take(tests)) {
    const double start = thread_cpu_seconds();
    std::exception_ptr error;
    try {
      write_(tests);
    } catch (...) {
      error = std::current_exception();
    }
    const Seconds pause =
        std::clamp(Seconds(pause_per_cpu * (thread_cpu_seconds() - start)), shortest_pause, longest_pause);
    next_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(pause);
    done(tests.size(), error);
    if (error) return;
    tests.clear();
  }
}

bool WriteBehind::take(std::vector<StoredTest>& tests) {
  std::unique_lock lock(mutex_);
  work_.wait(lock, [&] { return !queue_.empty() || closing_; });
  if (queue_.empty()) return false;
  work_.wait_until(lock, next_, [&] { return closing_ || urgent_; });
  tests.swap(queue_);
  return true;
}

void WriteBehind::done(std::size_t tests, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  pending_ -= tests;
  error_ = std::move(error);
  done_.notify_all();
}

}  // namespace macmi
