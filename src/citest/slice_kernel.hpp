#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/aligned.hpp"
#include "citest/fixed_side.hpp"
#include "citest/statistic.hpp"

namespace macmi {

/// Permutations in one batch: bit l of a mask belongs to permutation l of the batch.
inline constexpr std::size_t slice_lanes = 512;
inline constexpr std::size_t slice_words = slice_lanes / 64;

/// What a chunk of permutations gives to each sample: one of a few sources. A *choice* is one sample with one of its
/// sources; choices of sample j are first[j] … first[j + 1] - 1.
struct Choices {
  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> source;
  std::size_t most = 0;  ///< choices of one sample
  std::size_t batches = 0;
  AlignedVector<std::uint64_t> masks;  ///< [batch][choice][word]: the permutations that make the choice

  const std::uint64_t* mask(std::size_t batch, std::size_t choice) const {
    return masks.data() + (batch * source.size() + choice) * slice_words;
  }
  /// Choices per sample on average.
  double mean() const { return static_cast<double>(source.size()) / static_cast<double>(first.size() - 1); }
};

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

/// Adds the terms of samples begin … end-1 to sums[lane * ks + q].
void add_slice_terms(const SliceTask& task, std::size_t begin, std::size_t end, StatisticSum* sums);

}  // namespace macmi
