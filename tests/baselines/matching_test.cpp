#include "baselines/matching.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>

#include "baselines/gaussian_kernel.hpp"

namespace macmi::baselines {
namespace {

Points random_points(std::size_t n, std::size_t d, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("points"));
  Points points{n, d, {}};
  for (std::size_t e = 0; e < n * d; ++e) points.values.push_back(random.normal());
  return points;
}

std::vector<std::uint32_t> everybody(std::size_t n) {
  std::vector<std::uint32_t> all(n);
  std::iota(all.begin(), all.end(), 0U);
  return all;
}

double total(const NearMatching& matching, const std::vector<std::uint32_t>& partner) {
  double sum = 0;
  for (std::size_t i = 0; i < partner.size(); ++i)
    if (i < partner[i]) sum += matching.weight(i, partner[i]);
  return sum;
}

/// The minimum over all perfect matchings, set by set.
double minimum(const NearMatching& matching, std::size_t n) {
  std::vector<double> least(std::size_t{1} << n, 1e9);
  least[0] = 0;
  for (std::size_t set = 0; set + 1 < least.size(); ++set) {
    std::size_t i = 0;
    while (set >> i & 1U) ++i;
    for (std::size_t j = i + 1; j < n; ++j)
      if (!(set >> j & 1U)) {
        double& next = least[set | std::size_t{1} << i | std::size_t{1} << j];
        next = std::min(next, least[set] + matching.weight(i, j));
      }
  }
  return least.back();
}

TEST(Matching, IsNearTheMinimum) {
  double found = 0, best = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const Points points = random_points(14, 1 + seed % 3, seed);
    const NearMatching matching(points, median_distance(points), 1);
    const auto partner = matching.pairs(everybody(14));
    const double weight = total(matching, partner), least = minimum(matching, 14);
    EXPECT_GE(weight, least - 1e-9);
    found += weight, best += least;
  }
  EXPECT_LE(found / best, 1.08);
}

TEST(Matching, PairsEverySampleOfThePartOnceAndNoOther) {
  const Points points = random_points(101, 2, 3);
  const NearMatching matching(points, median_distance(points), 2);
  std::vector<std::uint32_t> part;
  for (std::uint32_t i = 0; i < 101; i += 2) part.push_back(i);  // 51 of them
  const auto partner = matching.pairs(part);
  std::size_t alone = 0;
  for (std::uint32_t i = 0; i < 101; ++i) {
    EXPECT_EQ(partner[partner[i]], i);
    alone += i % 2 == 0 && partner[i] == i;
    EXPECT_TRUE(i % 2 == 0 || partner[i] == i);
  }
  EXPECT_EQ(alone, 1U);
}

TEST(Matching, AvoidsPartnersItIsToldTo) {
  const Points points = random_points(200, 1, 4);
  const NearMatching matching(points, median_distance(points), 1);
  const auto first = matching.pairs(everybody(200)), second = matching.pairs(everybody(200), first);
  for (std::size_t i = 0; i < 200; ++i) EXPECT_NE(first[i], second[i]);
  EXPECT_LT(total(matching, second), 4 * total(matching, first) + 1);
}

TEST(Matching, TiedPointsAreMatchedWithinTheirClass) {
  Points points{400, 1, {}};
  for (std::size_t i = 0; i < 400; ++i) points.values.push_back(static_cast<double>(i * 7 % 400 < 200));
  const NearMatching matching(points, 1, 1);
  EXPECT_EQ(total(matching, matching.pairs(everybody(400))), 0);
}

}  // namespace
}  // namespace macmi::baselines
