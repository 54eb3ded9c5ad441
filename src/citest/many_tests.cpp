#include <atomic>
#include <mutex>

#include "base/parallel.hpp"
#include "macmi/ci_test.hpp"
#include "macmi/error.hpp"

namespace macmi {

std::vector<CiResult> ci_tests(std::span<const TestRequest> requests, const TestOptions& options,
                               const std::function<bool(std::size_t, std::size_t)>& progress) {
  std::vector<CiResult> results(requests.size());
  // Enough tests to fill the threads: one thread each, no waiting at the end of every batch of permutations.
  TestOptions each = options;
  const bool together = requests.size() >= base::thread_count(options.threads);
  if (together) each.threads = 1;
  std::size_t done = 0;
  std::mutex mutex;
  std::atomic<bool> cancelled = false;
  base::parallel_for(requests.size(), 1, together ? options.threads : 1, [&](std::size_t begin, std::size_t end) {
    for (std::size_t t = begin; t < end; ++t) {
      TestContext context = requests[t].context;
      context.progress = [&](std::size_t, std::size_t) { return !cancelled.load(); };
      results[t] = ci_test(requests[t].x, requests[t].y, requests[t].z, each, context);
      const std::lock_guard lock(mutex);
      ++done;
      if (progress && !progress(done, requests.size())) cancelled = true;
    }
  });
  if (cancelled && done < requests.size()) throw Cancelled();
  return results;
}

}  // namespace macmi
