#pragma once
#include <algorithm>
#include <chrono>

namespace macmi {

/// How long to sleep between looks for messages, which MPI has no other way to wait for without keeping a core busy: a
/// share of the time that nothing has happened, so that short tests wait little and long ones cost no processor time.
class Rhythm {
 public:
  using Clock = std::chrono::steady_clock;
  void something_happened() { last_ = Clock::now(); }
  std::chrono::microseconds pause() const {
    using std::chrono::microseconds;
    const auto quiet = std::chrono::duration_cast<microseconds>(Clock::now() - last_);
    return std::clamp(quiet / 16, microseconds(20), microseconds(1000));
  }

 private:
  Clock::time_point last_ = Clock::now();
};

/// True once per period.
class Every {
 public:
  explicit Every(double seconds) : period_(seconds) {}
  bool due() {
    const auto now = Rhythm::Clock::now();
    if (std::chrono::duration<double>(now - last_).count() < period_) return false;
    last_ = now;
    return true;
  }

 private:
  double period_;
  Rhythm::Clock::time_point last_ = Rhythm::Clock::now();
};

inline double seconds_since(Rhythm::Clock::time_point moment) {
  return std::chrono::duration<double>(Rhythm::Clock::now() - moment).count();
}

}  // namespace macmi
