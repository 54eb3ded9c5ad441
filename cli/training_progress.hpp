#pragma once
#include <chrono>

#include "macmi/maps.hpp"

namespace macmi::cli {

/// One line on the terminal that tells how the learning of feature maps goes and how long it may still take; nothing
/// when standard error is no terminal. Notes are lines of their own, also in a file. Ctrl-C stops the training.
class TrainingProgressLine {
 public:
  explicit TrainingProgressLine(bool shown);
  ~TrainingProgressLine();
  TrainingProgressLine(const TrainingProgressLine&) = delete;
  TrainingProgressLine& operator=(const TrainingProgressLine&) = delete;
  /// Refers to this line.
  MapsHooks hooks();

 private:
  bool update(const MapsProgress& progress);
  void note(const std::string& text);
  void clear();

  using Clock = std::chrono::steady_clock;
  bool notes_shown_, shown_;
  bool drawn_ = false;
  Clock::time_point start_ = Clock::now(), last_ = {};
};

}  // namespace macmi::cli
