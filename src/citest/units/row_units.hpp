#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace macmi::citest {

/// Samples that belong together, each unit's in their order. One series is one unit.
struct RowUnits {
  /// Units of these numbers, in the order of their first sample.
  explicit RowUnits(std::span<const std::int32_t> numbers);
  static RowUnits one_series(std::size_t n);

  std::size_t samples() const { return unit_of.size(); }
  std::size_t count() const { return rows.size(); }
  std::size_t largest() const;
  /// Fewer units than `least_exchanged` have so few orders that exchanging them says little: then only what varies
  /// within units is compared.
  bool enough() const { return count() >= least_exchanged; }
  static constexpr std::size_t least_exchanged = 8;

  std::vector<std::vector<std::uint32_t>> rows;
  std::vector<std::uint32_t> unit_of;
};

/// Groups of samples over which products are summed before they are compared with their spread (ClusteredCovariance).
struct Clusters {
  std::vector<std::uint32_t> of;  ///< by sample
  std::size_t count = 0;
};

/// The units themselves, or, of few units, stretches of so many samples of theirs.
Clusters clusters_of(const RowUnits& units, std::size_t stretch);

}  // namespace macmi::citest
