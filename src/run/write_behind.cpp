#include "run/write_behind.hpp"

#include <algorithm>
#include <chrono>
#include <ctime>

namespace macmi::run {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

/// Before the next time the process must have used 500 times the processor time that the last one took (a fifth of
/// a percent), or this much time must have passed: quick tests are written together, slow ones at once.
constexpr double cpu_between = 500;
constexpr Seconds longest_pause{0.5}, shortest_wait{0.005};
/// Tests that may wait before those who make them have to.
constexpr std::size_t most_waiting = 10000;

double cpu_seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

}  // namespace

WriteBehind::WriteBehind(Write write) : write_(std::move(write)), latest_(Clock::now()), writer_([this] { work(); }) {}

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
    const double start = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    std::exception_ptr error;
    try {
      write_(tests);
    } catch (...) {
      error = std::current_exception();
    }
    const double used = cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    next_cpu_ = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) + cpu_between * used;
    latest_ = Clock::now() + std::chrono::duration_cast<Clock::duration>(longest_pause);
    done(tests.size(), error);
    if (error) return;
    tests.clear();
  }
}

bool WriteBehind::take(std::vector<StoredTest>& tests) {
  std::unique_lock lock(mutex_);
  work_.wait(lock, [&] { return !queue_.empty() || closing_; });
  if (queue_.empty()) return false;
  while (!closing_ && !urgent_ && Clock::now() < latest_) {
    const Seconds missing(next_cpu_ - cpu_seconds(CLOCK_PROCESS_CPUTIME_ID));
    if (missing.count() <= 0) break;
    work_.wait_for(lock, std::clamp(missing, shortest_wait, longest_pause), [&] { return closing_ || urgent_; });
  }
  tests.swap(queue_);
  return true;
}

void WriteBehind::done(std::size_t tests, std::exception_ptr error) {
  const std::lock_guard lock(mutex_);
  pending_ -= tests;
  error_ = std::move(error);
  done_.notify_all();
}

}  // namespace macmi::run
