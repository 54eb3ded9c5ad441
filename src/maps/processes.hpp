#pragma once
#include <functional>
#include <string>
#include <vector>

namespace macmi {

/// Runs every task in a process of its own, forked from this one, at most `at_once` at a time: LibTorch is loaded once,
/// each task computes on one thread, and the results do not depend on how many run. Tasks leave their results in files.
/// Ends with the first failure: throws Error with what the task threw, or telling the signal that ended it; the others
/// are ended too. No task outlives this process.
void run_in_processes(const std::vector<std::function<void()>>& tasks, std::size_t at_once);

}  // namespace macmi
