// Many rows and labels that hardly repeat: exchange in blocks, neighbourhoods in a part of the rows, labels as one.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <set>

#include "citest/common_labels.hpp"
#include "citest/neighbourhood_rows.hpp"
#include "citest/null/cross_product_kernel.hpp"
#include "citest/permutation/block_permutation.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {
namespace {

using base::StreamKey;
using Sources = std::vector<std::uint32_t>;

bool rearranges(Sources source) {
  std::sort(source.begin(), source.end());
  for (std::uint32_t i = 0; i < source.size(); ++i)
    if (source[i] != i) return false;
  return true;
}

/// z is its own rank, so that distances in the order of z can be read off.
TEST(BlockPermutations, ExchangeNearSamplesOfOneCategory) {
  knn::Block z;
  z.columns.emplace_back();
  for (std::int32_t i = 0; i < 600; ++i) {
    z.columns[0].push_back(i * 7 % 600);
    z.category.push_back(static_cast<int>(z.columns[0].back()) % 2);
  }
  const BlockPermutations permutations(z, 600, 5);
  Sources source(600), again(600);
  std::set<int> shifts;
  for (std::uint64_t b = 0; b < 50; ++b) {
    permutations.draw(StreamKey(3), b, source);
    permutations.draw(StreamKey(3), b, again);
    ASSERT_EQ(source, again);
    ASSERT_TRUE(rearranges(source));
    for (std::size_t i = 0; i < 600; ++i) {
      ASSERT_EQ(z.category[i], z.category[source[i]]);
      shifts.insert(static_cast<int>(z.columns[0][source[i]] - z.columns[0][i]));
    }
  }
  // Every second value is of the same category: up to four of them away, and every one of these occurs.
  EXPECT_EQ(shifts, (std::set<int>{-8, -6, -4, -2, 0, 2, 4, 6, 8}));
}

/// A sample of the middle stays with a chance of 1/5 and takes each of the 20 others within reach by the number of cuts
/// that put both into one block; four standard errors of 20,000 draws.
TEST(BlockPermutations, EveryPlaceOfABlockIsAsLikely) {
  knn::Block z;
  z.columns.emplace_back();
  for (int i = 0; i < 100; ++i) z.columns[0].push_back(i);
  const BlockPermutations permutations(z, 100, 5);
  constexpr int draws = 20000;
  std::vector<int> taken(100);
  Sources source(100);
  for (std::uint64_t b = 0; b < draws; ++b) {
    permutations.draw(StreamKey(4), b, source);
    ++taken[source[50]];
  }
  for (int shift = -5; shift <= 5; ++shift) {
    const double p = std::max(0, 5 - std::abs(shift)) / 25.0;
    EXPECT_NEAR(taken[static_cast<std::size_t>(50 + shift)], p * draws, 4 * std::sqrt(p * (1 - p) * draws)) << shift;
  }
}

TEST(BlockPermutations, WithoutNumbersAllOfACategoryAreExchanged) {
  const BlockPermutations permutations({}, 300, 5);
  Sources source(300);
  permutations.draw(StreamKey(5), 0, source);
  EXPECT_TRUE(rearranges(source));
  double moved = 0;
  for (std::size_t i = 0; i < 300; ++i)
    moved += std::abs(static_cast<double>(source[i]) - static_cast<double>(i)) / 300;
  EXPECT_GT(moved, 70);  // 100 on average, with a deviation of about 4
}

TEST(CrossProducts, AreThoseOfPlainLoopsToTheLastBit) {
  base::RandomStream random(StreamKey(6));
  for (const auto& [p, q] : {std::pair<std::size_t, std::size_t>{1, 1}, {1, 7}, {15, 1}, {6, 32}, {31, 3}, {5, 5}}) {
    constexpr std::size_t n = 700;
    std::vector<double> x(n * p), y(n * q), expected(p * q);
    for (double& v : x) v = random.normal();
    for (double& v : y) v = random.normal();
    Sources source(n);
    for (std::uint32_t& s : source) s = static_cast<std::uint32_t>(random.below(n));
    for (std::size_t i = 0; i < n; ++i)
      for (std::size_t a = 0; a < p; ++a)
        for (std::size_t b = 0; b < q; ++b) expected[a * q + b] += x[source[i] * p + a] * y[i * q + b];
    EXPECT_EQ(cross_products({x.data(), y.data(), p, q}, source), expected) << p << " by " << q;
  }
}

TEST(NeighbourhoodRows, ComeFirstAndEvenlySpread) {
  EXPECT_EQ(neighbourhood_rows(64000, 8000), 64000u);
  EXPECT_EQ(neighbourhood_rows(64001, 8000), 64000u);
  EXPECT_EQ(neighbourhood_rows(1000000, 0), 1000000u);
  estimation::PreparedSample prepared;
  prepared.sample.n = 1000;
  prepared.sample.x.columns.emplace_back();
  for (std::size_t i = 0; i < 1000; ++i)
    prepared.rows.push_back(i), prepared.sample.x.columns[0].push_back(1.5 * static_cast<double>(i));
  const estimation::PreparedSample split = with_rows_first(prepared, 300, StreamKey(1));
  EXPECT_EQ(std::set<std::size_t>(split.rows.begin(), split.rows.end()).size(), 1000u);
  for (std::size_t i = 0; i < 1000; ++i)
    ASSERT_EQ(split.sample.x.columns[0][i], 1.5 * static_cast<double>(split.rows[i]));
  for (std::size_t i = 1; i < 1000; ++i) ASSERT_TRUE(i == 300 || split.rows[i] > split.rows[i - 1]);
  for (std::size_t i = 1; i < 300; ++i) ASSERT_LE(split.rows[i] - split.rows[i - 1], 4u);
}

struct Triple {
  std::vector<double> x, y, z;
  Triple(std::size_t n, double strength, std::uint64_t seed) {
    base::RandomStream random(StreamKey(seed).with("triple"));
    for (std::size_t i = 0; i < n; ++i) {
      z.push_back(random.normal());
      x.push_back(z.back() + random.normal());
      y.push_back(z.back() + strength * x.back() + random.normal());
    }
  }
};

/// 30 centres of 1,000 samples leave 760 of them to the correlation. Of 100 null sets a test of level 0.05 rejects 14
/// or more with a probability of 0.0005.
// ctest label long: rejection rates over many large data sets
TEST(ManyRows, LevelAndPowerWithMostRowsOutsideNeighbourhoods) {
  TestOptions options;
  options.centres = 30;
  options.permutations = 199;
  options.stop = StopRule::exact;
  int null = 0, found = 0;
  for (std::uint64_t set = 0; set < 100; ++set) {
    options.seed = set;
    const Triple independent(1000, 0, set), dependent(1000, 0.15, set);
    null += ci_test(independent.x, independent.y, independent.z, options).p_value <= options.alpha;
    found += ci_test(dependent.x, dependent.y, dependent.z, options).p_value <= options.alpha;
  }
  EXPECT_LE(null, 13);
  EXPECT_GE(found, 90);  // a partial correlation of 0.15 at n = 1000 is found in 99.7 of 100; at 240 in 64
}

TEST(ManyRows, TheStoppingRuleFollowsTheRows) {
  TestOptions options;
  EXPECT_EQ(used_stop(options, 8000), StopRule::exact);
  EXPECT_EQ(used_stop(options, 8001), StopRule::fast);
  options.stop = StopRule::never;
  EXPECT_EQ(used_stop(options, 1000000), StopRule::never);
}

TEST(CommonLabels, RareOnesOfAColumnThatIdentifiesRowsAreOne) {
  std::vector<std::int32_t> codes;
  for (std::int32_t i = 0; i < 100; ++i) codes.push_back(i < 20 ? 7 : i / 2);
  const CommonLabels common(Variable::categories(codes, "id"));
  ASSERT_EQ(common.notes().size(), 1u);
  EXPECT_NE(common.notes()[0].find("'id' nearly identifies rows: 41 labels in 100 samples"), std::string::npos);
  const CategoricalColumn& column = common.view().categorical()[0];
  for (std::size_t i = 0; i < 100; ++i) EXPECT_EQ(column[i] == column[0], i < 20);
  for (std::int32_t& c : codes) c %= 9;
  EXPECT_TRUE(CommonLabels(Variable::categories(codes, "id")).notes().empty());
}

/// Labels that two samples share are no evidence. A test of level 0.05 rejects 6 of 30 or more with a probability of
/// 0.003.
// ctest label long: a rejection rate over many data sets
TEST(CommonLabels, LabelsOfTwoSamplesKeepTheLevel) {
  int rejected = 0;
  for (std::uint64_t set = 0; set < 30; ++set) {
    base::RandomStream random(StreamKey(set).with("labels"));
    const Triple t(400, 0, set);
    std::vector<std::int32_t> label, two;
    for (std::size_t i = 0; i < 400; ++i) {
      label.push_back(static_cast<std::int32_t>(random.below(200)));
      two.push_back(random.uniform() < 0.5 + 0.2 * (t.z[i] > 0));
    }
    TestOptions options;
    options.permutations = 99;
    options.seed = set;
    const Variable x = Variable::categories(label, "x"), y = Variable::categories(two, "y");
    rejected += ci_test(x, y, Variable(t.z), options).p_value <= options.alpha;
  }
  EXPECT_LE(rejected, 5);
}

}  // namespace
}  // namespace macmi::citest
