#include "base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <exception>
#include <mutex>
#include <thread>
#include <vector>

namespace macmi::base {
namespace {

/// Hands out ranges one after the other to threads that are free.
class Ranges {
 public:
  Ranges(std::size_t count, std::size_t size) : count_(count), size_(size) {}

  void work(const std::function<void(std::size_t, std::size_t)>& body) {
    try {
      while (!failed_.load(std::memory_order_relaxed)) {
        const std::size_t begin = next_.fetch_add(size_, std::memory_order_relaxed);
        if (begin >= count_) return;
        body(begin, std::min(begin + size_, count_));
      }
    } catch (...) {
      const std::lock_guard lock(mutex_);
      if (!error_) error_ = std::current_exception();
      failed_.store(true, std::memory_order_relaxed);
    }
  }

  void rethrow() const {
    if (error_) std::rethrow_exception(error_);
  }

 private:
  std::size_t count_, size_;
  std::atomic<std::size_t> next_ = 0;
  std::atomic<bool> failed_ = false;
  std::mutex mutex_;
  std::exception_ptr error_;
};

}  // namespace

std::size_t thread_count(std::size_t threads) {
  return threads ? threads : std::max<std::size_t>(1, std::thread::hardware_concurrency());
}

void parallel_for(std::size_t count, std::size_t grain, std::size_t threads,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  const std::size_t workers = std::min(thread_count(threads), (count + grain - 1) / std::max<std::size_t>(1, grain));
  if (workers <= 1) return body(0, count);
  Ranges ranges(count, std::max(grain, count / (8 * workers)));
  {
    std::vector<std::jthread> others;
    for (std::size_t t = 1; t < workers; ++t) others.emplace_back([&] { ranges.work(body); });
    ranges.work(body);
  }
  ranges.rethrow();
}

void run_together(std::size_t threads, const std::vector<std::function<void()>>& tasks) {
  parallel_for(tasks.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) tasks[t]();
  });
}

}  // namespace macmi::base
