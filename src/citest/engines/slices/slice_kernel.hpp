#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "citest/engines/fixed_side.hpp"
#include "citest/engines/slice_choices.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {

struct SliceTask {
  const StatisticProblem* problem = nullptr;
  const FixedSide* fixed = nullptr;
  const Choices* choices = nullptr;
  std::span<const std::uint32_t> sources;  ///< as StatisticEngine::evaluate gets them
  std::span<const std::int32_t>
      x;                          ///< of each choice: [column][number of the choice][sample], `far` where there is none
  std::span<std::int32_t> reach;  ///< [sample][k]: the radius that sufficed last time, 0 at first

  std::size_t lanes() const { return sources.size() / fixed->n; }
  static constexpr std::int32_t far = 3 << 29;  ///< farther from everything on the lattice than it is wide
  static_assert(far - wide_lattice > wide_lattice);
};

/// Adds the terms of centres begin … end-1 to sums[lane * ks + q].
void add_slice_terms(const SliceTask& task, std::size_t begin, std::size_t end, StatisticSum* sums);

}  // namespace macmi::citest
