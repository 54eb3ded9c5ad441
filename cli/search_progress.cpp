#include "search_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <csignal>
#include <cstdio>

namespace macmi::cli {
namespace {

volatile std::sig_atomic_t interrupted = 0;

}  // namespace

SearchProgressLine::SearchProgressLine(bool shown) : shown_(shown && isatty(STDERR_FILENO) != 0) {
  std::signal(SIGINT, [](int) { interrupted = 1; });
}

SearchProgressLine::~SearchProgressLine() {
  clear();
  std::signal(SIGINT, SIG_DFL);
}

bool SearchProgressLine::update(const SearchProgress& p) {
  if (interrupted) return false;
  const auto now = Clock::now();
  if (!shown_ || now - last_ < std::chrono::milliseconds(100)) return true;
  last_ = now;
  const std::size_t expected = std::max(p.expected, p.finished + 1);
  const double left = p.finished ? seconds() * static_cast<double>(expected - p.finished) / static_cast<double>(p.finished) : 0;
  fmt::print(stderr, "\r\033[K{}: {} tests, about {} to go, {} candidates{}", p.stage, p.finished, expected - p.finished,
             p.candidates, p.finished ? fmt::format(", about {} left", duration_text(left)) : "");
  std::fflush(stderr);
  drawn_ = true;
  return true;
}

double SearchProgressLine::seconds() const { return std::chrono::duration<double>(Clock::now() - start_).count(); }

void SearchProgressLine::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

bool interrupt_requested() { return interrupted != 0; }

std::string duration_text(double seconds) {
  if (seconds < 1) return "1 s";
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  return fmt::format("{:.1f} h", seconds / 3600);
}

}  // namespace macmi::cli
