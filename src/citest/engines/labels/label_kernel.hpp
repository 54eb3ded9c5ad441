#pragma once
#include <cstddef>
#include <cstdint>
#include <span>

#include "base/vector/aligned.hpp"
#include "citest/engines/fixed_side.hpp"
#include "citest/engines/slice_choices.hpp"
#include "citest/engines/statistic.hpp"

namespace macmi::citest {

/// For each sample and label, the permutations of a chunk that give it this label.
struct LabelMasks {
  std::size_t labels = 0, batches = 0, n = 0;
  base::AlignedVector<std::uint64_t> words;  ///< [batch][label][sample][word]

  /// Of sample 0; the others follow, slice_words each.
  std::uint64_t* of(std::size_t batch, std::size_t label) {
    return words.data() + (batch * labels + label) * n * slice_words;
  }
  const std::uint64_t* of(std::size_t batch, std::size_t label) const {
    return words.data() + (batch * labels + label) * n * slice_words;
  }
};

/// Centres with the same y and z: whatever label they get, their neighbourhoods are the same. Those of place p are
/// member[first[p]] … member[first[p + 1] - 1].
struct Places {
  explicit Places(const StatisticProblem& problem);
  std::size_t count() const { return first.size() - 1; }
  std::vector<std::uint32_t> member, first;
};

struct LabelTask {
  const StatisticProblem* problem = nullptr;
  const FixedSide* fixed = nullptr;
  const Places* places = nullptr;
  const LabelMasks* masks = nullptr;
  std::span<const std::uint32_t> sources;  ///< as StatisticEngine::evaluate gets them
  std::span<std::int32_t> reach;           ///< [place]: the radius that sufficed last time, -1 at first

  std::size_t lanes() const { return sources.size() / fixed->n; }
};

/// Adds the terms of the centres at places begin … end-1 to sums[lane * ks + q].
void add_label_terms(const LabelTask& task, std::size_t begin, std::size_t end, StatisticSum* sums);

}  // namespace macmi::citest
