// Tests with a class on one side: which side is exchanged, and what a score and a tolerance do.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {
namespace {

/// z, x that follows z with the given noise, and a coin that z loads, and x by `strength`.
struct Coins {
  std::vector<double> x, z;
  std::vector<std::int32_t> y;
  Coins(std::size_t n, double noise, double strength, std::uint64_t seed) {
    base::RandomStream random(base::StreamKey(seed).with("coins").with(n));
    for (std::size_t i = 0; i < n; ++i) {
      z.push_back(random.normal());
      x.push_back(z.back() + noise * random.normal());
      y.push_back(random.uniform() < 1 / (1 + std::exp(-2 * z.back() - strength * (x.back() - z.back()))));
    }
  }
  Variable coin() const { return Variable::categories(y); }
};

TEST(ClassTarget, IsExchangedRatherThanNumbersWhereItMatters) {
  const Coins c(80, 1, 0, 1);
  Variable two = c.x;
  two.add(c.z);
  TestOptions options;
  options.permutations = 64;
  const auto permuted = [&](const Variable& x, const Variable& y, const Variable& z) {
    return ci_test(x, y, z, options).permuted;
  };
  EXPECT_EQ(permuted(c.x, c.coin(), c.z), "y");
  EXPECT_EQ(permuted(c.coin(), c.x, c.z), "x");
  EXPECT_EQ(permuted(two, c.coin(), {}), "y");
  EXPECT_EQ(permuted(c.x, c.coin(), {}), "x");  // the same null, and single columns have the faster engine
  EXPECT_EQ(permuted(c.x, c.z, two), "x");
  EXPECT_EQ(permuted(two, c.z, {}), "x");
  options.permute = Permuted::automatic;
  EXPECT_EQ(permuted(two, c.z, {}), "y");
  EXPECT_EQ(permuted(c.coin(), two, c.z), "x");
  options.permute = Permuted::x;
  EXPECT_EQ(permuted(c.x, c.coin(), c.z), "x");
}

/// Numbers that follow z closely are no longer like their neighbours', a coin that z loads is. At 0.05 about 6 of 120
/// reject; more than 14 have a probability below 0.002.
// ctest label long: a rejection rate over many data sets
TEST(ClassTarget, IsTestedAtItsLevelWhereXFollowsZClosely) {
  TestOptions options;
  options.permutations = 199;
  int rejected = 0;
  for (std::uint64_t seed = 0; seed < 120; ++seed) {
    const Coins c(300, 0.05, 0, seed);
    rejected += ci_test(c.x, c.coin(), c.z, options).p_value <= 0.05;
  }
  EXPECT_LE(rejected, 14);
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Coins c(300, 1, 1.5, seed);
    found += ci_test(c.x, c.coin(), c.z, options).p_value <= 0.05;
  }
  EXPECT_GE(found, 18);
}

/// Gaussians of correlation 0.5 share 0.144 nats.
// ctest label long: rejection rates over many data sets
TEST(Tolerance, IsTakenOffTheEffect) {
  base::RandomStream random(base::StreamKey(4).with("tolerance"));
  std::vector<double> x, y, z;
  for (std::size_t i = 0; i < 600; ++i) {
    x.push_back(random.normal());
    z.push_back(random.normal());
    y.push_back(0.5 * x.back() + std::sqrt(0.75) * random.normal());
  }
  for (const bool alone : {false, true}) {  // with k-NN statistics alone, and with the correlation
    TestOptions options;
    options.permutations = 199;
    options.stop = StopRule::never;
    options.no_correlation = alone;
    TestContext context;
    const CiResult whole = ci_test(x, y, z, options, context);
    context.tolerance = 0.05;
    const CiResult less = ci_test(x, y, z, options, context);
    ASSERT_EQ(whole.scales.size(), less.scales.size());
    for (std::size_t q = 0; q < whole.scales.size(); ++q)  // the correlation's moves with the mean of 64 permutations
      EXPECT_NEAR(whole.scales[q].effect - less.scales[q].effect, 0.05, whole.scales[q].k == whole.n ? 0.01 : 1e-9);
    EXPECT_EQ(less.p_value, whole.p_value);
    context.tolerance = 0.3;
    EXPECT_GT(ci_test(x, y, z, options, context).p_value, 0.5);
    EXPECT_LE(ci_test(x, y, z, options).p_value, 0.05);
  }
}

/// What two columns of x say together about a coin, as no single column of them and no neighbourhood of 400 samples
/// does.
// ctest label long: rejection rates over many data sets
TEST(Score, StandsForXInTheCorrelation) {
  constexpr std::size_t n = 400;
  TestOptions options;
  options.permutations = 99;
  int with = 0, without = 0, by_chance = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    base::RandomStream random(base::StreamKey(seed).with("score"));
    std::vector<std::vector<double>> columns(6, std::vector<double>(n));
    std::vector<double> z(n), score(n), noise(n);
    std::vector<std::int32_t> y(n);
    for (std::size_t i = 0; i < n; ++i) {
      for (auto& column : columns) column[i] = random.normal();
      z[i] = random.normal();
      score[i] = columns[0][i] * columns[1][i];
      noise[i] = random.normal();
      y[i] = random.uniform() < 1 / (1 + std::exp(-z[i] - 0.6 * score[i]));
    }
    Variable x;
    for (const auto& column : columns) x.add(Variable(column));
    TestContext context;
    without += ci_test(x, Variable::categories(y), z, options, context).p_value <= 0.05;
    context.score = score;
    const CiResult scored = ci_test(x, Variable::categories(y), z, options, context);
    with += scored.p_value <= 0.05;
    EXPECT_EQ(scored.scales.back().k, scored.n);
    context.score = noise;
    by_chance += ci_test(x, Variable::categories(y), z, options, context).p_value <= 0.05;
  }
  EXPECT_GE(with, 16);
  EXPECT_GE(with, without + 6);
  EXPECT_LE(by_chance, without + 4);
}

}  // namespace
}  // namespace macmi::citest
