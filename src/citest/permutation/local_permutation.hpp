#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "citest/engines/lattice.hpp"

namespace macmi::citest {

/// Runge's nearest-neighbour permutation (AISTATS 2018, algorithm 1): in random order (of many samples, a part of
/// space after the other), each sample takes the x of one
/// of its `neighbours` nearest samples in z (itself included) that nobody took before, or of any of them when all are
/// taken. Neighbours that tie at the largest distance are drawn at random, afresh for every permutation; a class of at
/// least `neighbours` samples with one and the same z is permuted within itself; without z, so are all samples.
class LocalPermutations {
 public:
  LocalPermutations(const LatticeBlock& z, std::size_t n, std::size_t neighbours, std::size_t threads);

  /// Working memory of a draw; draws made one after the other may share it.
  struct Scratch {
    std::vector<std::uint32_t> order, candidates;
    std::vector<std::uint8_t> used;
  };

  /// Writes the sample whose x each sample gets. Permutation `index` of the stream is the same whenever it is asked
  /// for.
  void draw(const base::StreamKey& stream, std::uint64_t index, std::span<std::uint32_t> source,
            Scratch& scratch) const;
  void draw(const base::StreamKey& stream, std::uint64_t index, std::span<std::uint32_t> source) const;

 private:
  void find_neighbours(const LatticeBlock& z, std::size_t n, std::size_t neighbours, std::size_t threads);
  std::uint32_t pick(std::size_t p, std::uint32_t random, const std::uint8_t* used) const;
  std::uint32_t pick_among_ties(std::size_t p, base::RandomStream& random, const std::uint8_t* used,
                                std::vector<std::uint32_t>& candidates) const;

  std::vector<std::vector<std::uint32_t>> classes_;  ///< permuted within themselves
  std::vector<std::uint32_t> points_;                ///< the other samples
  std::vector<std::uint32_t> near_, begin_;  ///< points_[p] has the neighbours near_[begin_[p] … begin_[p + 1])
  /// places_[p] of tied_[tied_begin_[p] … tied_begin_[p + 1]), all at the largest distance of points_[p], are
  /// neighbours in one permutation. Without elements when no point has such.
  std::vector<std::uint32_t> places_, tied_, tied_begin_;
};

}  // namespace macmi::citest
