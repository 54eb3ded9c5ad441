#include "base/random_permutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <map>

namespace macmi::base {
namespace {

TEST(RandomPermutation, HasEveryNumberOnce) {
  RandomStream random(StreamKey(1));
  for (const std::size_t n : {0, 1, 2, 100}) {
    std::vector<std::uint32_t> order = random_permutation(n, random);
    std::sort(order.begin(), order.end());
    ASSERT_EQ(order.size(), n);
    for (std::uint32_t i = 0; i < n; ++i) EXPECT_EQ(order[i], i);
  }
}

TEST(RandomPermutation, HasEveryOrderAlike) {
  RandomStream random(StreamKey(2));
  std::map<std::vector<std::uint32_t>, double> seen;
  constexpr double draws = 48000;
  for (int i = 0; i < static_cast<int>(draws); ++i) ++seen[random_permutation(4, random)];
  ASSERT_EQ(seen.size(), 24U);
  double statistic = 0;
  for (const auto& [order, count] : seen) statistic += (count - draws / 24) * (count - draws / 24) / (draws / 24);
  // Pearson's statistic has mean 23 and standard deviation √46; four of them, the seed is fixed.
  EXPECT_NEAR(statistic, 23, 4 * std::sqrt(46.0));
}

}  // namespace
}  // namespace macmi::base
