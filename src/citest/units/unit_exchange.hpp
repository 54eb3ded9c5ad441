#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "citest/units/row_units.hpp"

namespace macmi::citest {

/// Permutations under which samples that belong together stay together: the one scheme of all tests of units and of
/// series. A variable is exchanged that is independent of another one, as a whole process; nothing is assumed of the
/// samples of a unit.
///   Units        Whole units change places, the samples of each in their order. Units of different size change places
///                with units of about their size: the larger one gives a stretch of its samples, and what it has too
///                many goes where samples lack. What is constant within units changes places with any other unit.
///   Few units    Every unit is shifted along itself, around the end (RowUnits::enough).
///   One series   The same, by at least `least_shift` samples to either side; no shift comes twice.
class UnitExchange {
 public:
  UnitExchange(const RowUnits& units, bool constant_within, std::size_t least_shift, const base::StreamKey& stream);

  /// Writes the sample whose value each sample gets. Permutation `index` is the same whenever it is asked for.
  void draw(std::uint64_t index, std::span<std::uint32_t> source) const;
  /// How many different permutations there are, where these are so few that it matters; else no end of them.
  std::size_t most_permutations() const;
  /// The mean share of samples that get a value from another unit than the samples around them.
  double share_filled() const;
  /// Does every sample give its value once?
  bool rearranges() const { return rearranges_; }

 private:
  void exchange_units(base::RandomStream& random, std::span<std::uint32_t> source) const;

  const RowUnits& units_;
  bool constant_within_, rearranges_;
  base::StreamKey stream_;
  std::vector<std::vector<std::uint32_t>> groups_;  ///< units that change places with each other
  std::vector<std::uint32_t> shifts_;               ///< of one series, in random order
};

}  // namespace macmi::citest
