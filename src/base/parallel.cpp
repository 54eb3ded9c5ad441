#include "base/parallel.hpp"

#include <tbb/blocked_range.h>
#include <tbb/info.h>
#include <tbb/parallel_for.h>
#include <tbb/task_arena.h>

namespace macmi {

std::size_t thread_count(std::size_t threads) {
  return threads ? threads : static_cast<std::size_t>(tbb::info::default_concurrency());
}

void parallel_for(std::size_t count, std::size_t grain, std::size_t threads,
                  const std::function<void(std::size_t, std::size_t)>& body) {
  if (count == 0) return;
  if (thread_count(threads) == 1 || count <= grain) return body(0, count);
  tbb::task_arena arena(static_cast<int>(thread_count(threads)));
  arena.execute([&] {
    tbb::parallel_for(tbb::blocked_range<std::size_t>(0, count, grain),
                      [&](const tbb::blocked_range<std::size_t>& r) { body(r.begin(), r.end()); });
  });
}

}  // namespace macmi
