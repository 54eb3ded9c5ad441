#pragma once
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

namespace macmi::prepare {

/// Days as numbers (since 1970-01-01) that are in a set; one bit each between the first and the last.
class DaySet {
 public:
  /// True when the day is new.
  bool add(std::int32_t day);
  bool has(std::int32_t day) const;
  /// Days from `first` to `last`, both included, that are not in the set.
  std::size_t missing(std::int32_t first, std::int32_t last) const;

 private:
  std::int32_t base_ = 0;  // a multiple of 64
  std::vector<std::uint64_t> bits_;
};

/// When one unit of a panel was observed, and when its event was.
struct ObservedUnit {
  std::string name;
  DaySet complete;                     ///< days with values
  std::int32_t last_seen = INT32_MIN;  ///< the last day with a row
  std::optional<std::int32_t> event;   ///< the first day of the event
};

struct WindowOptions {
  std::uint64_t length = 90;
  std::uint64_t lead = 0;  ///< days from the window's last day to the event
  std::uint64_t gaps = 0;  ///< days without values that a window may have
  double ratio = 3;        ///< windows without event per window with; 0: one of every unit that has one
  std::uint64_t seed = 0;
};

/// The days of one unit that become a sample.
struct Window {
  std::size_t unit = 0;
  std::int32_t last_day = 0;
  bool event = false;
};

struct ChosenWindows {
  std::vector<Window> windows;  ///< units in order of their names
  std::size_t events = 0;       ///< units with an event, complete window or not
  std::size_t wanted = 0;       ///< windows without event that were asked for
};

/// One window per unit. With event: the days that end `lead` before it. Without: units that never have the event and
/// are seen `lead` days after the window at least; the windows end on the very days on which those with event end, in
/// the same proportions, so that the calendar tells nothing. Depends on names, not on the order of the units.
ChosenWindows choose_windows(const std::vector<ObservedUnit>& units, const WindowOptions& options);

}  // namespace macmi::prepare
