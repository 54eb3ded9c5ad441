#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "base/number_of.hpp"
#include "macmi/data_health.hpp"

namespace macmi {
namespace {

/// At most eight of the items and how many more there are.
std::string some(const std::vector<std::string>& items) {
  constexpr std::size_t shown = 8;
  if (items.size() <= shown) return fmt::format("{}", fmt::join(items, ", "));
  return fmt::format("{} and {} more", fmt::join(items.begin(), items.begin() + shown, ", "), items.size() - shown);
}

template <class Item, class Text>
std::vector<std::string> texts(const std::vector<Item>& items, const Text& text) {
  std::vector<std::string> result;
  for (const Item& item : items) result.push_back(text(item));
  return result;
}

}  // namespace

bool DataHealth::clean() const {
  return target_missing == 0 && short_units == 0 && units_with_gaps == 0 && constant.empty() && duplicates.empty() &&
         missing.empty() && infinite.empty() && ties.empty() && id_like.empty() && mixed_units.empty() &&
         remarks.empty();
}

DataHealth sorted_by_name(DataHealth health) {
  const auto by_name = [](const auto& a, const auto& b) { return a.name < b.name; };
  for (auto* counts : {&health.missing, &health.infinite, &health.group_widths, &health.classes})
    std::stable_sort(counts->begin(), counts->end(), by_name);
  std::stable_sort(health.ties.begin(), health.ties.end(), by_name);
  for (std::vector<std::string>& group : health.duplicates) std::sort(group.begin(), group.end());
  std::sort(health.duplicates.begin(), health.duplicates.end());
  for (auto* names : {&health.constant, &health.id_like, &health.mixed_units, &health.remarks})
    std::sort(names->begin(), names->end());
  return health;
}

std::vector<std::string> health_lines(const DataHealth& health) {
  std::vector<std::string> lines;
  const auto counted = [](const DataHealth::Count& c) { return fmt::format("{} ({})", c.name, c.count); };
  const auto say = [&](const char* what, const std::vector<std::string>& items) {
    if (!items.empty()) lines.push_back(fmt::format("{}: {}", what, some(items)));
  };
  if (health.target_missing > 0)
    lines.push_back(fmt::format("samples without a target, dropped: {}", health.target_missing));
  if (health.not_drawn > 0) lines.push_back(fmt::format("samples not drawn (--rows): {}", health.not_drawn));
  if (health.short_units > 0)
    lines.push_back(fmt::format("units with fewer steps than the window, left out: {}", health.short_units));
  if (health.units_with_gaps > 0)
    lines.push_back(fmt::format("series with gaps: in {} the window lacks {}, which count as missing values",
                                base::number_of(health.units_with_gaps, "unit"),
                                base::number_of(health.missing_steps, "step")));
  say("constant columns, which tell nothing", health.constant);
  for (const auto& group : health.duplicates) lines.push_back(fmt::format("exact duplicates: {}", some(group)));
  say("missing values", texts(health.missing, [&](const DataHealth::Count& c) {
        return health.samples == 0 ? counted(c) : fmt::format("{} ({})", c.name, c.count);
      }));
  say("infinite values, treated as missing", texts(health.infinite, counted));
  say("heavy ties (share of the most common value, different values)",
      texts(health.ties, [](const DataHealth::Ties& t) {
        return fmt::format("{} ({:.0f}%, {})", t.name, 100 * t.share, t.distinct);
      }));
  say("looks like an id, not a measurement", health.id_like);
  say("columns of one feature in different units (each gets its own scale as network input)", health.mixed_units);
  say("features of different width", texts(health.group_widths, counted));
  say("classes", texts(health.classes, [&](const DataHealth::Count& c) {
        return fmt::format("{} ({}, {:.1f}%)", c.name, c.count,
                           100.0 * static_cast<double>(c.count) / static_cast<double>(health.samples));
      }));
  lines.insert(lines.end(), health.remarks.begin(), health.remarks.end());
  return lines;
}

}  // namespace macmi
