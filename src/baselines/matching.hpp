#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "baselines/points.hpp"

namespace macmi::baselines {

/// Pairs of samples near each other: a perfect matching of small total weight, which SDCIT needs a thousand times per
/// test. Blossom algorithms find the minimum exactly and take seconds at a few thousand points; this is an
/// approximation: edges to the nearest few in increasing order (greedy, at most twice the minimum on those edges), the
/// samples left over among themselves, then exchanges between two pairs while one makes the total smaller (2-opt). On
/// random points the total is within a few per cent of the minimum (tests/baselines/matching_test.cpp).
///
/// The weight of a pair is the distance of its kernel embeddings, √(2 − 2 exp(−|a − b|² / (2 σ²))). Ties are broken by
/// the cyclic distance of the points' numbers: give points in random order.
class NearMatching {
 public:
  NearMatching(const Points& points, double kernel_width, std::size_t threads);

  /// The partner of each sample of `part`, by sample; samples outside and, when their number is odd, one inside are
  /// their own. `avoided[i]`, where given, is a partner that i should not get (its weight has the largest added).
  std::vector<std::uint32_t> pairs(std::span<const std::uint32_t> part,
                                   std::span<const std::uint32_t> avoided = {}) const;

  double weight(std::size_t i, std::size_t j) const;

 private:
  struct Edge {
    std::uint32_t i, j;
  };
  const Points& points_;
  double scale_;
  std::vector<std::vector<std::uint32_t>> nearest_;  ///< of each sample, in increasing order
  std::vector<Edge> edges_;                          ///< i < j, in increasing order
};

}  // namespace macmi::baselines
