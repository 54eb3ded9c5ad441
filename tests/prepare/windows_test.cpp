#include "prepare/windows.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "base/random.hpp"

namespace macmi::prepare {
namespace {

/// Days in a std::set: what DaySet must be equal to.
std::size_t missing_naively(const std::set<std::int32_t>& days, std::int32_t first, std::int32_t last) {
  std::size_t count = 0;
  for (std::int32_t day = first; day <= last; ++day) count += days.count(day) == 0;
  return count;
}

TEST(DaySet, EqualsASetOfNumbers) {
  base::RandomStream random(base::StreamKey(1).with("days"));
  for (int round = 0; round < 20; ++round) {
    DaySet fast;
    std::set<std::int32_t> naive;
    EXPECT_FALSE(fast.has(0));
    for (int i = 0; i < 150; ++i) {
      const auto day = static_cast<std::int32_t>(random.below(400)) - 200;  // before 1970, too, and in any order
      EXPECT_EQ(fast.add(day), naive.insert(day).second) << day;
    }
    for (std::int32_t day = -260; day <= 260; ++day) EXPECT_EQ(fast.has(day), naive.count(day) == 1) << day;
    for (const auto& [first, last] : {std::pair{-300, 300}, {-64, 63}, {0, 0}, {190, 220}, {5, 4}})
      EXPECT_EQ(fast.missing(first, last), missing_naively(naive, first, last)) << first << " " << last;
  }
}

struct Panel {
  std::vector<ObservedUnit> units;
  std::vector<std::set<std::int32_t>> days;  ///< of each unit
};

/// Units seen from some day to another with days left out; every fourth has an event on its last day.
Panel panel(std::size_t count, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("panel"));
  Panel p;
  for (std::size_t u = 0; u < count; ++u) {
    ObservedUnit unit;
    unit.name = fmt::format("unit {}", u * 7919 % 1000);
    std::set<std::int32_t> days;
    const auto first = static_cast<std::int32_t>(random.below(20));
    const std::int32_t last = first + 10 + static_cast<std::int32_t>(random.below(40));
    for (std::int32_t day = first; day <= last; ++day)
      if (random.below(12) != 0) unit.complete.add(day), days.insert(day);
    unit.last_seen = last;
    if (u % 4 == 0) unit.event = last;
    p.units.push_back(unit);
    p.days.push_back(days);
  }
  return p;
}

/// The definition of a window, from the set of days.
bool has_window(const Panel& p, std::size_t unit, std::int32_t last_day, const WindowOptions& o) {
  return missing_naively(p.days[unit], last_day - static_cast<std::int32_t>(o.length) + 1, last_day) <= o.gaps;
}

std::map<std::string, std::pair<std::int32_t, bool>> by_name(const Panel& p, const ChosenWindows& chosen) {
  std::map<std::string, std::pair<std::int32_t, bool>> windows;
  for (const Window& w : chosen.windows) windows[p.units[w.unit].name] = {w.last_day, w.event};
  return windows;
}

/// Without a ratio every unit has a window exactly where one of the days with an event allows it.
TEST(ChooseWindows, TakesEveryUnitThatHasAWindow) {
  for (const std::uint64_t lead : {0, 3})
    for (const std::uint64_t gaps : {0, 2}) {
      const Panel p = panel(120, 5 + lead);
      const WindowOptions o{.length = 8, .lead = lead, .gaps = gaps, .ratio = 0};
      const auto days = static_cast<std::int32_t>(lead);
      std::set<std::int32_t> event_days;
      std::map<std::string, bool> expected;  // name → event
      for (std::size_t u = 0; u < p.units.size(); ++u)
        if (p.units[u].event && has_window(p, u, *p.units[u].event - days, o)) {
          expected[p.units[u].name] = true;
          event_days.insert(*p.units[u].event - days);
        }
      for (std::size_t u = 0; u < p.units.size(); ++u)
        if (!p.units[u].event && std::any_of(event_days.begin(), event_days.end(), [&](std::int32_t day) {
              return p.units[u].last_seen >= day + days && has_window(p, u, day, o);
            }))
          expected[p.units[u].name] = false;
      const ChosenWindows chosen = choose_windows(p.units, o);
      std::map<std::string, bool> found;
      for (const auto& [name, window] : by_name(p, chosen)) {
        found[name] = window.second;
        EXPECT_EQ(event_days.count(window.first), 1u) << name;
      }
      EXPECT_EQ(found, expected);
      EXPECT_EQ(chosen.events, 30u);
      EXPECT_GT(event_days.size(), 3u);  // otherwise there was nothing to choose
    }
}

/// With a ratio: as many windows per day as asked for, each of another unit that has one, as long as there are any.
TEST(ChooseWindows, EndsWindowsWithoutEventOnTheDaysOfEvents) {
  const Panel p = panel(200, 9);
  const WindowOptions o{.length = 6, .lead = 2, .gaps = 1, .ratio = 2};
  const ChosenWindows chosen = choose_windows(p.units, o);
  std::map<std::int32_t, std::size_t> with, without;
  std::set<std::size_t> seen;
  for (const Window& w : chosen.windows) {
    ++(w.event ? with : without)[w.last_day];
    EXPECT_TRUE(seen.insert(w.unit).second);
    EXPECT_EQ(w.event, p.units[w.unit].event.has_value());
    EXPECT_TRUE(has_window(p, w.unit, w.last_day, o));
    EXPECT_GE(p.units[w.unit].last_seen, w.last_day + 2);
  }
  std::size_t events = 0, missing = 0;
  for (const auto& [day, count] : with) {
    events += count;
    ASSERT_LE(without[day], 2 * count) << day;
    if (without[day] == 2 * count) continue;
    missing += 2 * count - without[day];
    for (std::size_t u = 0; u < p.units.size(); ++u)  // nobody is left who could have filled the place
      EXPECT_TRUE(seen.count(u) == 1 || p.units[u].event || p.units[u].last_seen < day + 2 ||
                  !has_window(p, u, day, o));
  }
  EXPECT_EQ(chosen.wanted, 2 * events);
  EXPECT_EQ(chosen.windows.size(), 3 * events - missing);
  EXPECT_GT(events, 10u);
}

TEST(ChooseWindows, DependsOnNamesNotOnTheOrder) {
  for (const double ratio : {0.0, 1.5}) {
    const Panel p = panel(90, 11);
    Panel reversed = p;
    std::reverse(reversed.units.begin(), reversed.units.end());
    const WindowOptions o{.length = 6, .gaps = 2, .ratio = ratio, .seed = 3};
    EXPECT_EQ(by_name(p, choose_windows(p.units, o)), by_name(reversed, choose_windows(reversed.units, o)));
  }
}

}  // namespace
}  // namespace macmi::prepare
