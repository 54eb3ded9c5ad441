#pragma once
#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "base/vector/aligned.hpp"

namespace macmi::citest {

/// Permutations in one batch: bit l of a mask belongs to permutation l of the batch.
inline constexpr std::size_t slice_lanes = 512;
inline constexpr std::size_t slice_words = slice_lanes / 64;

/// A chunk of permutations gives each sample one of a few sources. A *choice* is one sample with one of its
/// sources; choices of sample j are first[j] … first[j + 1] - 1.
struct Choices {
  static constexpr std::size_t most_numbers = std::size_t{1} << 26;  ///< a choice's number leaves a few bits of 32 free

  std::vector<std::uint32_t> first;
  std::vector<std::uint32_t> source;
  std::size_t most = 0;  ///< choices of one sample
  std::size_t batches = 0;
  base::AlignedVector<std::uint64_t> masks;  ///< [batch][choice][word]: the permutations that make the choice

  const std::uint64_t* mask(std::size_t batch, std::size_t choice) const {
    return masks.data() + (batch * source.size() + choice) * slice_words;
  }
  /// Choices per sample on average.
  double mean() const { return static_cast<double>(source.size()) / static_cast<double>(first.size() - 1); }
};

/// Of permutations [lane][sample], n samples each. Nothing when samples have too many sources: time grows as their
/// square.
std::optional<Choices> find_choices(std::span<const std::uint32_t> sources, std::size_t n, std::size_t threads);

}  // namespace macmi::citest
