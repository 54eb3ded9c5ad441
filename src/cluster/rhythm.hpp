#pragma once
#include <algorithm>
#include <chrono>

namespace macmi::cluster {

/// How long to sleep between looks for messages, which MPI has no other way to wait for without keeping a core busy: a
/// share of the time that nothing has happened, so that short tests wait little and long ones cost no processor time.
class Rhythm {
 public:
  using Clock = std::chrono::steady_clock;
  void something_happened() { last_ = Clock::now(); }
  std::chrono::microseconds pause() const {
    using std::chrono::microseconds;
    const auto quiet = std::chrono::duration_cast<microseconds>(Clock::now() - last_);
    // A look costs some 20 µs of a core, a late one keeps a rank waiting: a quarter balances the two for tests of
    // milliseconds. For tests of tenths of a second and more, a sixty-fourth is lost at most.
    const auto longest = std::clamp(quiet / 64, microseconds(1000), microseconds(20000));
    return std::clamp(quiet / 4, microseconds(20), longest);
  }

 private:
  Clock::time_point last_ = Clock::now();
};

/// Between looks for messages while none is expected but the end.
inline constexpr std::chrono::microseconds pause_without_expectation{50000};

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

}  // namespace macmi::cluster
