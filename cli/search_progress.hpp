#pragma once
#include <chrono>
#include <cstddef>
#include <string>

#include "macmi/blanket.hpp"

namespace macmi::cli {

/// One line on the terminal that tells where the search is and how long it may still take. Nothing when standard error
/// is not a terminal. Interrupt (Ctrl-C) ends the search.
class SearchProgressLine {
 public:
  /// `shown`: false under --quiet.
  explicit SearchProgressLine(bool shown);
  ~SearchProgressLine();
  SearchProgressLine(const SearchProgressLine&) = delete;
  SearchProgressLine& operator=(const SearchProgressLine&) = delete;

  /// To be called as SearchHooks::on_progress; false when the user interrupted.
  bool update(const SearchProgress& progress);
  void test_finished() { ++made_; }
  std::size_t tests_made() const { return made_; }
  double seconds() const;

 private:
  void clear();

  using Clock = std::chrono::steady_clock;
  bool shown_;
  bool drawn_ = false;
  std::size_t made_ = 0;
  Clock::time_point start_ = Clock::now(), last_ = start_;
};

/// "3 s", "2 min", "1.5 h"
std::string duration_text(double seconds);

/// Whether Ctrl-C was pressed while a SearchProgressLine is there to take it.
bool interrupt_requested();

}  // namespace macmi::cli
