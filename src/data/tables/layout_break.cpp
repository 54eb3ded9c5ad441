#include "data/tables/layout_break.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <vector>

namespace macmi::data {
namespace {

constexpr std::size_t enough_columns = 3;

struct Break {
  std::vector<std::string> ending, beginning;
};

}  // namespace

std::optional<std::string> layout_break(const Dataset& data) {
  std::map<std::size_t, Break> breaks;  // by the first sample of the new layout
  for (const Feature& feature : data.features) {
    if (feature.is_series()) continue;
    for (const DataColumn& column : feature.columns) {
      if (column.missing.empty()) continue;
      const auto begin = column.missing.begin(), end = column.missing.end();
      if (column.missing[0] == 0) {
        const auto first_missing = std::find(begin, end, std::uint8_t{1});
        if (std::find(first_missing, end, std::uint8_t{0}) == end)
          breaks[static_cast<std::size_t>(first_missing - begin)].ending.push_back(column.name);
      } else if (const auto first_present = std::find(begin, end, std::uint8_t{0}); first_present != end) {
        breaks[static_cast<std::size_t>(first_present - begin)].beginning.push_back(column.name);
      }
    }
  }
  for (const auto& [sample, names] : breaks)
    if (names.ending.size() >= enough_columns && names.beginning.size() >= enough_columns)
      return fmt::format(
          "from row {} on, {} columns that always had values have none ('{}', …) and {} others begin to have some "
          "('{}', …): "
          "does the header still fit the columns there?",
          data.rows[sample] + 1, names.ending.size(), names.ending[0], names.beginning.size(), names.beginning[0]);
  return {};
}

}  // namespace macmi::data
