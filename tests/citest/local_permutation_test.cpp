#include "citest/permutation/local_permutation.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <set>

namespace macmi::citest {
namespace {

std::vector<std::uint32_t> draw(const LocalPermutations& permutations, std::size_t n, std::uint64_t index) {
  std::vector<std::uint32_t> source(n);
  permutations.draw(base::StreamKey(7), index, source);
  return source;
}

LatticeBlock random_block(std::size_t n, std::size_t columns, std::int32_t levels) {
  base::RandomStream random(base::StreamKey(n).with(columns).with(static_cast<std::uint64_t>(levels)));
  LatticeBlock z;
  for (std::size_t d = 0; d < columns; ++d) {
    z.columns.emplace_back();
    for (std::size_t i = 0; i < n; ++i)
      z.columns.back().push_back(static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(levels))));
  }
  return z;
}

std::int32_t distance(const LatticeBlock& z, std::size_t i, std::size_t j) {
  std::int32_t d = 0;
  for (const auto& column : z.columns) d = std::max(d, std::abs(column[i] - column[j]));
  return d;
}

TEST(LocalPermutations, WithoutZEverySampleIsUsedOnce) {
  const LocalPermutations permutations({}, 500, 5, 1);
  auto source = draw(permutations, 500, 0);
  EXPECT_NE(source, draw(permutations, 500, 1));
  std::sort(source.begin(), source.end());
  for (std::uint32_t i = 0; i < 500; ++i) ASSERT_EQ(source[i], i);
}

TEST(LocalPermutations, SourcesAreAmongTheNearestIncludingTies) {
  for (const std::int32_t levels : {4, 40, 1 << 20})
    for (const std::size_t neighbours : {1, 3, 5, 12}) {
      const std::size_t n = 200;
      const LatticeBlock z = random_block(n, 2, levels);
      const LocalPermutations permutations(z, n, neighbours, 1);
      for (std::uint64_t b = 0; b < 5; ++b) {
        const auto source = draw(permutations, n, b);
        for (std::size_t i = 0; i < n; ++i) {
          std::vector<std::int32_t> d(n);
          for (std::size_t j = 0; j < n; ++j) d[j] = distance(z, i, j);
          std::sort(d.begin(), d.end());
          ASSERT_LE(distance(z, i, source[i]), d[neighbours - 1]);
        }
      }
    }
}

TEST(LocalPermutations, FewSourcesAreDrawnTwice) {
  const std::size_t n = 1000;
  const LocalPermutations permutations(random_block(n, 1, 1 << 28), n, 5, 1);
  const auto source = draw(permutations, n, 0);
  // Independent choices among 5 neighbours would leave a share of (1 - 1/5)^5 = 0.33 of the samples unused; the list of
  // used ones more than halves that.
  EXPECT_GT(std::set<std::uint32_t>(source.begin(), source.end()).size(), 850u);
}

TEST(LocalPermutations, DiscreteZIsPermutedWithinItsClasses) {
  const std::size_t n = 999;
  LatticeBlock z;
  z.columns.emplace_back();
  for (std::size_t i = 0; i < n; ++i) z.columns[0].push_back(static_cast<std::int32_t>(i % 3) * 1000);
  const LocalPermutations permutations(z, n, 5, 1);
  double kept = 0;
  const int draws = 60;
  for (std::uint64_t b = 0; b < draws; ++b) {
    auto source = draw(permutations, n, b);
    for (std::size_t i = 0; i < n; ++i) {
      ASSERT_EQ(source[i] % 3, i % 3);
      kept += source[i] == i;
    }
    std::sort(source.begin(), source.end());
    for (std::uint32_t i = 0; i < n; ++i) ASSERT_EQ(source[i], i);
  }
  // Each of 3 classes keeps 1 sample on average (variance 1), so 3 per draw with sd √3; 5 sd of the mean of 60.
  EXPECT_NEAR(kept / draws, 3, 5 * std::sqrt(3.0 / draws));
}

TEST(LocalPermutations, TiesAtTheEdgeAreBrokenAfresh) {
  // One sample at 0 among 40 at distance 10: all of them must come up as its neighbours.
  LatticeBlock z;
  z.columns.emplace_back();
  z.columns[0].push_back(0);
  for (int i = 0; i < 20; ++i) z.columns[0].insert(z.columns[0].end(), {10, -10});
  const LocalPermutations permutations(z, 41, 5, 1);
  std::set<std::uint32_t> seen;
  for (std::uint64_t b = 0; b < 2000; ++b) seen.insert(draw(permutations, 41, b)[0]);
  EXPECT_EQ(seen.size(), 41u);
}

TEST(LocalPermutations, CategoriesAreNeverMixed) {
  LatticeBlock z = random_block(300, 1, 1 << 20);
  for (std::size_t i = 0; i < 300; ++i) z.category.push_back(static_cast<std::int32_t>(i % 4));
  const LocalPermutations permutations(z, 300, 5, 1);
  const auto source = draw(permutations, 300, 0);
  for (std::size_t i = 0; i < 300; ++i) ASSERT_EQ(source[i] % 4, i % 4);
}

// ctest label threads: one thread against several
TEST(LocalPermutations, ThreadsDoNotMatter) {
  const LatticeBlock z = random_block(2000, 2, 60);
  EXPECT_EQ(draw(LocalPermutations(z, 2000, 5, 1), 2000, 9), draw(LocalPermutations(z, 2000, 5, 3), 2000, 9));
}

}  // namespace
}  // namespace macmi::citest
