#include "citest/units/row_units.hpp"

#include <algorithm>
#include <map>
#include <numeric>

namespace macmi::citest {

RowUnits::RowUnits(std::span<const std::int32_t> numbers) : unit_of(numbers.size()) {
  std::map<std::int32_t, std::uint32_t> place;
  for (std::size_t i = 0; i < numbers.size(); ++i) {
    const auto [at, first] = place.try_emplace(numbers[i], static_cast<std::uint32_t>(rows.size()));
    if (first) rows.emplace_back();
    unit_of[i] = at->second;
    rows[at->second].push_back(static_cast<std::uint32_t>(i));
  }
}

RowUnits RowUnits::one_series(std::size_t n) {
  return RowUnits(std::vector<std::int32_t>(n));
}

std::size_t RowUnits::largest() const {
  std::size_t most = 0;
  for (const auto& own : rows) most = std::max(most, own.size());
  return most;
}

Clusters clusters_of(const RowUnits& units, std::size_t stretch) {
  if (units.enough()) return {units.unit_of, units.count()};
  Clusters clusters{std::vector<std::uint32_t>(units.samples()), 0};
  for (const auto& own : units.rows) {
    const std::size_t parts = std::max<std::size_t>(1, own.size() / stretch);
    for (std::size_t j = 0; j < own.size(); ++j)
      clusters.of[own[j]] = static_cast<std::uint32_t>(clusters.count + j * parts / own.size());
    clusters.count += parts;
  }
  return clusters;
}

}  // namespace macmi::citest
