#pragma once
#include <cstddef>
#include <functional>
#include <vector>

namespace macmi::base {

/// Threads for a request of `threads` (0 = every core).
std::size_t thread_count(std::size_t threads);

/// Calls body(begin, end) over disjoint ranges that cover 0 … count-1, on up to `threads` threads (0 = every core).
/// Ranges hold at least `grain` indices. Which thread runs which range is unspecified: bodies write to places of their
/// own and the caller combines them in index order, so that results have the same bits for any number of threads.
/// An exception thrown by a body reaches the caller.
void parallel_for(std::size_t count, std::size_t grain, std::size_t threads,
                  const std::function<void(std::size_t, std::size_t)>& body);

/// Calls every task, on up to `threads` threads.
void run_together(std::size_t threads, const std::vector<std::function<void()>>& tasks);

}  // namespace macmi::base
