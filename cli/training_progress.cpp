#include "training_progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

#include "search_progress.hpp"

namespace macmi::cli {

TrainingProgressLine::TrainingProgressLine(bool shown)
    : notes_shown_(shown), shown_(shown && isatty(STDERR_FILENO) != 0) {}

TrainingProgressLine::~TrainingProgressLine() {
  clear();
}

MapsHooks TrainingProgressLine::hooks() {
  MapsHooks hooks;
  hooks.on_progress = [this](const MapsProgress& progress) { return update(progress); };
  hooks.on_note = [this](const std::string& text) { note(text); };
  return hooks;
}

bool TrainingProgressLine::update(const MapsProgress& p) {
  if (interrupt_requested()) return false;
  const auto now = Clock::now();
  if (!shown_ || p.epochs == 0 || now - last_ < std::chrono::milliseconds(100)) return true;
  last_ = now;
  const double seconds = std::chrono::duration<double>(now - start_).count();
  const double left = p.share_done > 0.02 ? seconds * (1 - p.share_done) / p.share_done : 0;
  fmt::print(stderr,
             "\r\033[Klearning feature maps{}: epoch {} of {}, objective {:.3f}, validation likelihood {:.3f}{}",
             p.models > 1 ? fmt::format(" (fold {} of {})", p.model + 1, p.models) : "", p.epoch, p.epochs, p.objective,
             p.validation, left > 0 ? fmt::format(", about {} left", duration_text(left)) : "");
  std::fflush(stderr);
  drawn_ = true;
  return true;
}

void TrainingProgressLine::note(const std::string& text) {
  clear();
  if (notes_shown_) fmt::print(stderr, "{}\n", text);
}

void TrainingProgressLine::clear() {
  if (drawn_) fmt::print(stderr, "\r\033[K");
  drawn_ = false;
}

}  // namespace macmi::cli
