#include "maps/training/draw_batch.hpp"

#include <gtest/gtest.h>

#include <numeric>
#include <set>

namespace macmi::maps {
namespace {

/// Three features, the first as it is; sample 3 lacks the second, sample 5 the third.
struct Drawn {
  explicit Drawn(bool cover) {
    architecture.features = {{Encoder::identity, 1, 1, 1}, {Encoder::mlp, 1, 2, 1}, {Encoder::mlp, 1, 2, 1}};
    known[3 * 3 + 1] = known[5 * 3 + 2] = 0;
    samples.samples = 8;
    samples.known = known;
    std::vector<std::uint32_t> rows = {7, 3, 5, 0, 2};
    MaskSampler sampler(MaskRule::uniform_sizes, 3, 3);
    base::RandomStream random(base::StreamKey(3));
    batch = draw_batch(samples, rows, architecture, {sampler, cover}, random, true);
  }
  Architecture architecture;
  std::vector<std::uint8_t> known = std::vector<std::uint8_t>(8 * 3, 1);
  NetworkSamples samples;
  TrainingBatch batch;
};

TEST(DrawBatch, MasksKeepNothingThatASampleLacksAndACoverAllTheRest) {
  for (const bool cover : {false, true}) {
    const Drawn d(cover);
    std::vector<std::vector<int>> kept(5, std::vector<int>(3));
    for (std::size_t mask = 0; mask < d.batch.masks.size(); ++mask)
      for (const std::uint32_t f : d.batch.masks.features(mask)) ++kept[d.batch.masks.sample[mask]][f];
    if (!cover) {
      EXPECT_EQ(d.batch.masks.size(), 5U);
    }
    for (std::size_t k = 0; k < 5; ++k)
      for (std::size_t f = 0; f < 3; ++f) {
        const int there = d.known[d.batch.rows[k] * 3 + f];
        if (cover) {
          EXPECT_EQ(kept[k][f], there) << k << " " << f;
        }
        EXPECT_LE(kept[k][f], there);
      }
  }
}

TEST(DrawBatch, SwapsTakeEveryKeptMapFromASampleThatHasIt) {
  const Drawn d(true);
  std::vector<std::vector<std::uint32_t>> lenders(3);
  for (std::size_t mask = 0; mask < d.batch.masks.size(); ++mask) {
    const auto kept = d.batch.masks.features(mask);
    for (const SwappedFeature& swap : d.batch.swaps_of(mask)) {
      EXPECT_NE(std::find(kept.begin(), kept.end(), swap.feature), kept.end());
      EXPECT_NE(d.known[d.batch.rows[swap.lender] * 3 + swap.feature], 0);
      lenders[swap.feature].push_back(swap.lender);
    }
  }
  EXPECT_TRUE(lenders[0].empty()) << "a feature as it is has no map to swap";
  for (const std::size_t f : {1, 2}) {  // a permutation lends every sample once at most
    EXPECT_GE(lenders[f].size(), 3U);
    EXPECT_EQ(std::set(lenders[f].begin(), lenders[f].end()).size(), lenders[f].size());
  }
}

}  // namespace
}  // namespace macmi::maps
