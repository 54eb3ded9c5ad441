#include "maps/training/masks.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace macmi::maps {
namespace {

/// Pearson's statistic of drawn masks against their exact probabilities over all masks of 1 … most ones.
struct ChiSquare {
  double statistic = 0, degrees = -1;
};

ChiSquare chi_square(MaskRule rule, std::size_t features, std::size_t most, std::size_t draws, bool cover = false) {
  MaskSampler sampler(rule, features, most);
  base::RandomStream random(base::StreamKey(11).with(static_cast<std::uint64_t>(rule)));
  std::map<std::vector<std::uint32_t>, double> seen;
  for (std::size_t d = 0; d < draws; ++d) ++seen[cover ? sampler.draw_cover(random).front() : sampler.draw(random)];
  // The rules in words, counted over all masks, without the sampler's formulas.
  std::vector<double> of_size(features + 1, 0);
  std::vector<std::vector<std::uint32_t>> all;
  for (unsigned bits = 1; bits < (1U << features); ++bits) {
    std::vector<std::uint32_t> kept;
    for (std::uint32_t i = 0; i < features; ++i)
      if ((bits >> i & 1U) != 0) kept.push_back(i);
    if (kept.size() > most) continue;
    ++of_size[kept.size()];
    all.push_back(std::move(kept));
  }
  ChiSquare result;
  double drawn = 0;
  for (const auto& w : all) {
    const std::size_t ones = w.size();
    const auto sizes = static_cast<double>(most);
    double p = 1 / static_cast<double>(all.size());
    if (rule == MaskRule::uniform_sizes) p = 1 / sizes / of_size[ones];
    if (rule == MaskRule::half_singles) p = (ones == 1 ? 0.5 : 0.5 / (sizes - 1)) / of_size[ones];
    const double expected = p * static_cast<double>(draws);
    result.statistic += (seen[w] - expected) * (seen[w] - expected) / expected;
    result.degrees += 1;
    drawn += seen[w];
  }
  EXPECT_EQ(drawn, static_cast<double>(draws));  // no other mask was drawn
  return result;
}

TEST(Masks, FollowTheirRule) {
  for (const MaskRule rule : {MaskRule::uniform_masks, MaskRule::uniform_sizes, MaskRule::half_singles}) {
    const ChiSquare c = chi_square(rule, 6, 4, 200000);
    // Mean `degrees`, standard deviation √(2·degrees); four of them: a chance of about 1e-4 per rule, seeds fixed.
    EXPECT_LT(c.statistic, c.degrees + 4 * std::sqrt(2 * c.degrees)) << static_cast<int>(rule);
    EXPECT_GT(c.statistic, c.degrees - 4 * std::sqrt(2 * c.degrees)) << static_cast<int>(rule);
  }
}

TEST(Masks, OfACoverKeepEveryFeatureOnceAndBeginByTheRule) {
  MaskSampler sampler(MaskRule::half_singles, 7, 4);
  base::RandomStream random(base::StreamKey(12));
  for (int draw = 0; draw < 200; ++draw) {
    std::vector<int> kept(7);
    for (const std::vector<std::uint32_t>& mask : sampler.draw_cover(random)) {
      EXPECT_FALSE(mask.empty());
      EXPECT_LE(mask.size(), 4U);
      EXPECT_TRUE(std::is_sorted(mask.begin(), mask.end()));
      for (const std::uint32_t f : mask) ++kept[f];
    }
    EXPECT_EQ(kept, std::vector<int>(7, 1));
  }
  // Four standard deviations, as above.
  const ChiSquare c = chi_square(MaskRule::half_singles, 6, 4, 200000, true);
  EXPECT_NEAR(c.statistic, c.degrees, 4 * std::sqrt(2 * c.degrees));
}

TEST(Masks, OfManyFeaturesHaveFiniteProbabilities) {
  const MaskSampler sampler(MaskRule::uniform_masks, 4000, 2000);
  double sum = 0;
  for (const double p : sampler.sizes()) sum += p;
  EXPECT_NEAR(sum, 1, 1e-12);
}

TEST(Masks, OfThePaperHardlyKeepSingles) {
  // 36 features, 1 to 4 kept: 36 of 36 + 630 + 7140 + 58905 masks.
  const MaskSampler sampler(MaskRule::uniform_masks, 36, 4);
  EXPECT_NEAR(sampler.sizes()[0], 36.0 / 66711, 1e-9);
  EXPECT_NEAR(sampler.sizes()[3], 58905.0 / 66711, 1e-9);
}

}  // namespace
}  // namespace macmi::maps
