#pragma once
#include <chrono>
#include <cstddef>
#include <string>

#include "macmi/progress.hpp"

namespace macmi::cli {

/// Tells on standard error where the work is and how long it may still take: one line that is drawn over on a terminal,
/// a line per tenth of the work elsewhere.
class ProgressLine {
 public:
  /// `shown`: false under --quiet.
  explicit ProgressLine(bool shown);
  ~ProgressLine() { clear(); }
  ProgressLine(const ProgressLine&) = delete;
  ProgressLine& operator=(const ProgressLine&) = delete;

  void update(const Progress& progress);
  /// The line to be drawn over is removed, for other output.
  void clear();
  /// The work is done.
  void finish(const std::string& what);

 private:
  using Clock = std::chrono::steady_clock;
  std::string remaining(const Progress& progress) const;
  void draw(const Progress& progress);
  void print_tenth(const Progress& progress);

  bool shown_, terminal_;
  bool drawn_ = false;
  std::size_t tenths_ = 0;
  std::string unit_;
  Clock::time_point unit_start_ = Clock::now(), last_ = unit_start_;
};

/// "3 s", "2 min", "1.5 h", "3 days"
std::string duration_text(double seconds);

}  // namespace macmi::cli
