#include "prepare/windows.hpp"

#include <algorithm>
#include <cmath>
#include <map>

#include "base/random.hpp"

namespace macmi::prepare {
namespace {

constexpr std::int32_t word = 64;

std::int32_t floor_to_word(std::int32_t day) {
  return day >= 0 ? day / word * word : -((-day + word - 1) / word * word);
}

bool has_window(const ObservedUnit& unit, std::int32_t last_day, const WindowOptions& o) {
  const std::int32_t first = last_day - static_cast<std::int32_t>(o.length) + 1;
  return unit.complete.missing(first, last_day) <= o.gaps;
}

/// How many windows without event end on each day.
using DayCounts = std::map<std::int32_t, std::size_t>;

/// Units that could have a window ending on this day, in an order of their own.
std::vector<std::size_t> candidates(const std::vector<ObservedUnit>& units, const std::vector<bool>& taken,
                                    std::int32_t day, const WindowOptions& o) {
  std::vector<std::pair<std::uint64_t, std::size_t>> keyed;
  const base::StreamKey key =
      base::StreamKey(o.seed).with("windows").with(static_cast<std::uint64_t>(static_cast<std::uint32_t>(day)));
  for (std::size_t u = 0; u < units.size(); ++u) {
    const ObservedUnit& unit = units[u];
    if (taken[u] || unit.event || unit.last_seen < day + static_cast<std::int32_t>(o.lead)) continue;
    if (has_window(unit, day, o)) keyed.emplace_back(key.with(unit.name).value(), u);
  }
  std::sort(keyed.begin(), keyed.end());
  std::vector<std::size_t> order;
  for (const auto& entry : keyed) order.push_back(entry.second);
  return order;
}

/// Every unit that has a window on one of the days: which day is drawn in proportion to the events'.
void take_all(const std::vector<ObservedUnit>& units, const DayCounts& events, const WindowOptions& o,
              ChosenWindows& chosen) {
  for (std::size_t u = 0; u < units.size(); ++u) {
    const ObservedUnit& unit = units[u];
    if (unit.event) continue;
    std::vector<std::int32_t> days;
    for (const auto& [day, count] : events)
      if (unit.last_seen >= day + static_cast<std::int32_t>(o.lead) && has_window(unit, day, o))
        days.insert(days.end(), count, day);
    if (days.empty()) continue;
    base::RandomStream random(base::StreamKey(o.seed).with("window day").with(unit.name));
    chosen.windows.push_back({u, days[random.below(days.size())], false});
  }
  chosen.wanted = chosen.windows.size();
}

/// Days with the fewest candidates first, so that others do not use them up.
void take_matched(const std::vector<ObservedUnit>& units, const DayCounts& events, const WindowOptions& o,
                  ChosenWindows& chosen) {
  std::vector<bool> taken(units.size());
  std::vector<std::pair<std::size_t, std::int32_t>> order;
  for (const auto& entry : events) order.emplace_back(candidates(units, taken, entry.first, o).size(), entry.first);
  std::sort(order.begin(), order.end());
  double due = 0;
  for (const auto& [count, day] : order) {
    due += o.ratio * static_cast<double>(events.at(day));
    const auto wanted = static_cast<std::size_t>(std::llround(due));
    due -= static_cast<double>(wanted);
    chosen.wanted += wanted;
    std::vector<std::size_t> from = candidates(units, taken, day, o);
    from.resize(std::min(from.size(), wanted));
    for (const std::size_t u : from) {
      taken[u] = true;
      chosen.windows.push_back({u, day, false});
    }
  }
}

}  // namespace

bool DaySet::add(std::int32_t day) {
  const std::int32_t start = floor_to_word(day);
  if (bits_.empty()) base_ = start;
  if (start < base_) {
    bits_.insert(bits_.begin(), static_cast<std::size_t>((base_ - start) / word), 0);
    base_ = start;
  }
  const auto at = static_cast<std::size_t>((start - base_) / word);
  if (at >= bits_.size()) bits_.resize(at + 1);
  const std::uint64_t bit = std::uint64_t{1} << (day - start);
  const bool fresh = (bits_[at] & bit) == 0;
  bits_[at] |= bit;
  return fresh;
}

bool DaySet::has(std::int32_t day) const {
  if (bits_.empty() || day < base_) return false;
  const auto at = static_cast<std::size_t>((day - base_) / word);
  return at < bits_.size() && (bits_[at] >> ((day - base_) % word) & 1) != 0;
}

std::size_t DaySet::missing(std::int32_t first, std::int32_t last) const {
  std::size_t count = 0;
  for (std::int32_t day = first; day <= last; ++day) count += !has(day);
  return count;
}

ChosenWindows choose_windows(const std::vector<ObservedUnit>& units, const WindowOptions& o) {
  ChosenWindows chosen;
  DayCounts events;
  for (std::size_t u = 0; u < units.size(); ++u) {
    if (!units[u].event) continue;
    ++chosen.events;
    const std::int32_t last = *units[u].event - static_cast<std::int32_t>(o.lead);
    if (!has_window(units[u], last, o)) continue;
    chosen.windows.push_back({u, last, true});
    ++events[last];
  }
  if (o.ratio > 0)
    take_matched(units, events, o, chosen);
  else
    take_all(units, events, o, chosen);
  std::sort(chosen.windows.begin(), chosen.windows.end(),
            [&](const Window& a, const Window& b) { return units[a.unit].name < units[b.unit].name; });
  return chosen;
}

}  // namespace macmi::prepare
