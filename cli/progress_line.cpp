#include "progress_line.hpp"

#include <fmt/format.h>
#include <sys/ioctl.h>
#include <unistd.h>

#include <algorithm>
#include <cstdio>

namespace macmi::cli {
namespace {

constexpr auto between_drawings = std::chrono::milliseconds(100);

/// Cut to the terminal's width, whole UTF-8 characters: a line that wraps cannot be drawn over.
std::string fitted(const std::string& text) {
  winsize size{};
  const std::size_t columns = ioctl(STDERR_FILENO, TIOCGWINSZ, &size) == 0 && size.ws_col > 1 ? size.ws_col - 1u : 79u;
  std::size_t seen = 0;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const bool begins = (text[i] & 0xC0) != 0x80;
    if (begins && seen++ == columns) return text.substr(0, i);
  }
  return text;
}

std::string pace(const Progress& p) {
  return p.pace.empty() ? "" : ", " + p.pace;
}

}  // namespace

ProgressLine::ProgressLine(bool shown) : shown_(shown), terminal_(isatty(STDERR_FILENO) != 0) {}

void ProgressLine::update(const Progress& p) {
  if (p.unit != unit_) {  // another kind of work, at another speed
    unit_ = p.unit;
    unit_start_ = Clock::now();
    tenths_ = 0;
  }
  if (!shown_) return;
  if (terminal_)
    draw(p);
  else
    print_tenth(p);
}

/// From the speed of what this process has done itself.
std::string ProgressLine::remaining(const Progress& p) const {
  const std::size_t own = p.done - std::min(p.done, p.stored);
  if (own == 0 || p.expected <= p.done) return {};
  const double elapsed = std::chrono::duration<double>(Clock::now() - unit_start_).count();
  return fmt::format(", about {} left",
                     duration_text(elapsed * static_cast<double>(p.expected - p.done) / static_cast<double>(own)));
}

void ProgressLine::draw(const Progress& p) {
  const auto now = Clock::now();
  if (drawn_ && now - last_ < between_drawings) return;
  last_ = now;
  const std::string line =
      fmt::format("{}: {} of about {} {}{}{}{}", p.stage, p.done, std::max(p.expected, p.done), p.unit, pace(p),
                  remaining(p), p.current.empty() ? "" : fmt::format("  [{}]", p.current));
  fmt::print(stderr, "\r\033[K{}", fitted(line));
  std::fflush(stderr);
  drawn_ = true;
}

void ProgressLine::print_tenth(const Progress& p) {
  if (p.expected == 0) return;
  // The forecast may fall short: the last tenth is printed by nobody but the end of the work.
  const std::size_t tenths = std::min<std::size_t>(9, 10 * p.done / std::max(p.expected, p.done));
  if (tenths <= tenths_) return;
  tenths_ = tenths;
  fmt::print(stderr, "{:>3}%  {}: {} of about {} {}{}{}\n", 10 * tenths, p.stage, p.done, p.expected, p.unit, pace(p),
             remaining(p));
  std::fflush(stderr);
}

void ProgressLine::finish(const std::string& what) {
  clear();
  if (!shown_ || terminal_) return;
  fmt::print(stderr, "100%  {} in {}\n", what,
             duration_text(std::chrono::duration<double>(Clock::now() - unit_start_).count()));
}

void ProgressLine::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  std::fflush(stderr);
  drawn_ = false;
}

std::string duration_text(double seconds) {
  if (seconds < 1) return "1 s";
  if (seconds < 100) return fmt::format("{:.0f} s", seconds);
  if (seconds < 6000) return fmt::format("{:.0f} min", seconds / 60);
  if (seconds < 2 * 86400) return fmt::format("{:.1f} h", seconds / 3600);
  return fmt::format("{:.0f} days", seconds / 86400);
}

}  // namespace macmi::cli
