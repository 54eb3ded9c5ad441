#include "citest/null/stopping.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace macmi::citest {
namespace {

struct Outcome {
  std::size_t drawn, exceedances;
  double p() const { return (1 + static_cast<double>(exceedances)) / (1 + static_cast<double>(drawn)); }
};

/// Exceedances with probability q, looked at every 64.
Outcome run(const TestOptions& options, double q, std::uint64_t seed) {
  base::RandomStream random{base::StreamKey(seed)};
  Outcome o{0, 0};
  for (;;) {
    const std::size_t next = std::min<std::size_t>(o.drawn + look_every, options.permutations);
    for (; o.drawn < next; ++o.drawn) o.exceedances += random.uniform() < q;
    if (!reason_to_stop(options, {o.drawn, o.exceedances, 1, 0}).empty()) return o;
  }
}

TEST(Stopping, BinomialSumsMatchTheRecurrenceOfPascal) {
  const double p = 0.3;
  std::vector<double> row = {1};
  for (std::size_t n = 1; n <= 60; ++n) {
    std::vector<double> next(n + 1);
    for (std::size_t k = 0; k < n; ++k) {
      next[k] += row[k] * (1 - p);
      next[k + 1] += row[k] * p;
    }
    row = next;
    double sum = 0;
    for (std::size_t k = 0; k <= n; ++k) EXPECT_NEAR(binomial_cdf(k, n, p), std::min(1.0, sum += row[k]), 1e-12);
  }
}

TEST(Stopping, NeverDrawsAll) {
  TestOptions options;
  options.stop = StopRule::never;
  EXPECT_EQ(run(options, 0.9, 1).drawn, 1000u);
}

TEST(Stopping, ExactDecidesAsAllPermutationsWould) {
  for (const double alpha : {0.01, 0.05, 0.3})
    for (std::uint64_t seed = 0; seed < 400; ++seed) {
      TestOptions exact, never;
      exact.alpha = never.alpha = alpha;
      exact.stop = StopRule::exact;
      never.stop = StopRule::never;
      const double q = alpha * (0.5 + static_cast<double>(seed % 10) / 9);
      const Outcome early = run(exact, q, seed), full = run(never, q, seed);
      ASSERT_EQ(early.p() <= alpha, full.p() <= alpha);
      ASSERT_LE(early.drawn, full.drawn);
    }
}

TEST(Stopping, FastKeepsItsResamplingRisk) {
  // At q = alpha ± half, with the risk raised to 5% so that 2,000 runs can see it: 3 sd above 5% is 6.5%.
  for (const double q : {0.025, 0.075, 0.5}) {
    TestOptions options;
    options.stop = StopRule::fast;
    options.resampling_risk = 0.05;
    options.permutations = 100000;
    int wrong = 0;
    for (std::uint64_t seed = 0; seed < 2000; ++seed) wrong += (run(options, q, seed).p() <= 0.05) != (q <= 0.05);
    EXPECT_LE(wrong, 130) << q;
  }
}

TEST(Stopping, FastEndsClearCasesSoon) {
  TestOptions options;
  options.stop = StopRule::fast;
  EXPECT_EQ(run(options, 0.5, 3).drawn, 64u);
  EXPECT_LE(run(options, 0.0, 3).drawn, 192u);
}

TEST(Stopping, FastEndsBelowTheThresholdOnTheEffect) {
  TestOptions options;
  options.stop = StopRule::fast;
  options.min_cmi = 0.01;
  EXPECT_FALSE(reason_to_stop(options, {64, 0, 0.001, 0.0001}).empty());
  EXPECT_TRUE(reason_to_stop(options, {64, 0, 0.0099, 0.0001}).empty());
}

}  // namespace
}  // namespace macmi::citest
