#pragma once
#include <functional>
#include <string>

namespace macmi {

/// Keeps the finished parts of long work from one process to the next. Any thread may call it.
struct FinishedWork {
  /// The text kept under a name, or what `work` gives, which is then kept. Names say all that a text follows from.
  /// Empty: nothing is kept.
  std::function<std::string(const std::string& name, const std::function<std::string()>& work)> text;
  std::string folder = {};  ///< for checkpoints of trainings; empty: none are kept
};

}  // namespace macmi
