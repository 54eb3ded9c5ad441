#include "citest/null/fitted_tail.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "baselines/gamma_distribution.hpp"

namespace macmi::citest {
namespace {

ScoreMoments moments(const std::vector<double>& scores) {
  ScoreMoments m;
  for (const double t : scores) ++m.count, m.sum += t, m.squares += t * t, m.cubes += t * t * t;
  return m;
}

/// The moments of ten million scores of a gamma distribution: all but exact.
ScoreMoments gamma_moments(double shape) {
  const std::size_t count = 10'000'000;
  const auto n = static_cast<double>(count);
  return {count, n * shape, n * shape * (shape + 1), n * shape * (shape + 1) * (shape + 2)};
}

TEST(FittedTail, ManyScoresGiveTheTailOfTheirDistribution) {
  // Pearson III is a gamma distribution with a place and a scale; the cube root that stands for it is off by a tenth
  // at most, down to 1e-6.
  for (const double shape : {4.0, 16.0, 100.0})
    for (const double deviations : {1.0, 2.5, 4.0, 5.0}) {
      const double at = shape + deviations * std::sqrt(shape), exact = baselines::gamma_upper_tail(at, shape, 1);
      EXPECT_NEAR(fitted_tail(at, gamma_moments(shape), 0).p / exact, 1, 0.12) << shape << " " << deviations;
    }
  for (const double z : {1.0, 3.0, 5.0})
    EXPECT_NEAR(normal_tail(-z, 10'000'000).p / std::erfc(z / std::sqrt(2.0)), 1, 1e-3) << z;
}

/// A combined score as the test makes it, of three neighbourhoods that go together and a correlation.
double combined_score(base::RandomStream& random) {
  const double shared = random.normal();
  double sum = 2 * std::cosh(random.normal());
  for (int look = 0; look < 3; ++look) sum += std::exp(0.8 * shared + 0.6 * random.normal());
  return std::log(sum);
}

TEST(FittedTail, ShareOfSmallValuesUnderTheNullIsTheirSize) {
  // Every score is compared with the fit to 64 or 192 others of the same distribution, 40 at a time: 160,000
  // comparisons. A tenth of 1e-4 · 160,000 = 16 may come by chance; the factor of 2 is what the fit promises.
  for (const std::size_t draws : {64, 192}) {
    base::RandomStream random(base::StreamKey(3).with(draws));
    const std::array<double, 4> levels = {0.05, 0.01, 1e-3, 1e-4};
    std::array<double, 4> share{};
    constexpr int fits = 4000, each = 40;
    for (int fit = 0; fit < fits; ++fit) {
      std::vector<double> scores(draws);
      for (double& t : scores) t = combined_score(random);
      const ScoreMoments m = moments(scores);
      for (int i = 0; i < each; ++i) {
        const double p = fitted_tail(combined_score(random), m, 1.6).p;
        for (std::size_t l = 0; l < levels.size(); ++l) share[l] += (p <= levels[l]) / (1.0 * fits * each);
      }
    }
    for (std::size_t l = 0; l < levels.size(); ++l)
      EXPECT_LT(share[l], 2 * levels[l] + 3 * std::sqrt(levels[l] / (fits * each))) << draws << " " << levels[l];
    EXPECT_GT(share[0], 0.03);
    EXPECT_GT(share[1], 0.002);
  }
}

TEST(FittedTail, TheRangeHoldsWhatMorePermutationsSay) {
  // These scores are less skewed than expected, which moves the fit to the safe side: 361 of 400 are within.
  base::RandomStream random{base::StreamKey(4)};
  std::vector<double> many(50000);
  for (double& t : many) t = combined_score(random);
  std::sort(many.begin(), many.end());
  const double at = many[many.size() - 50];  // p = 1e-3
  int within = 0;
  for (int fit = 0; fit < 400; ++fit) {
    std::vector<double> scores(64);
    for (double& t : scores) t = combined_score(random);
    const FittedTail tail = fitted_tail(at, moments(scores), 1.6);
    EXPECT_LE(tail.low, tail.p);
    EXPECT_LE(tail.p, tail.high);
    within += tail.low <= 1e-3 && tail.high >= 1e-3;
  }
  EXPECT_GE(within, 340);
}

TEST(FittedTail, NothingToFitIsNoNumber) {
  EXPECT_TRUE(std::isnan(fitted_tail(1, moments(std::vector<double>(64, 0.5)), 1).p));
  EXPECT_TRUE(std::isnan(fitted_tail(INFINITY, gamma_moments(4), 1).p));
  EXPECT_TRUE(std::isnan(fitted_tail(1, moments({1, 2, 3}), 1).p));
  EXPECT_TRUE(std::isnan(normal_tail(INFINITY, 64).p));
}

}  // namespace
}  // namespace macmi::citest
