// The surrogate's distributions against integrals, sums and differences.
#include "maps/network/distribution.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "small_network.hpp"

namespace macmi::maps {
namespace {

Distribution distribution(Family family, std::span<const float> prediction) {
  Distribution q(family, prediction.size());
  q.set(prediction);
  return q;
}

TEST(Jeffreys, OfNormalsEqualsTheIntegral) {
  base::RandomStream random(base::StreamKey(2));
  for (int k = 0; k < 6; ++k) {
    const std::vector<float> p = testing::random_floats(4, random),
                             q = testing::random_floats(4, random);  // means 0, 1; log variances 2, 3
    double total = 0;
    for (std::size_t d = 0; d < 2; ++d) {
      const auto log_density = [&](const std::vector<float>& of, double y) {
        const double mean = of[d], variance = std::exp(static_cast<double>(of[d + 2]));
        return -0.5 * (std::log(2 * M_PI * variance) + (y - mean) * (y - mean) / variance);
      };
      // Trapezoids over ±40: exponentially exact for a smooth function that vanishes at both ends.
      constexpr double step = 0.01;
      for (int i = -4000; i <= 4000; ++i) {
        const double a = log_density(p, i * step), b = log_density(q, i * step);
        total += step * 0.5 * (std::exp(a) - std::exp(b)) * (a - b);
      }
    }
    EXPECT_NEAR(Distribution::jeffreys(distribution(Family::normal, p), distribution(Family::normal, q)), total,
                1e-8 * std::max(1.0, total));
  }
}

/// ½ D(p‖q) + ½ D(q‖p) from the probabilities.
double discrete_jeffreys(const std::vector<double>& p, const std::vector<double>& q) {
  double kl_pq = 0, kl_qp = 0;
  for (std::size_t c = 0; c < p.size(); ++c)
    kl_pq += p[c] * std::log(p[c] / q[c]), kl_qp += q[c] * std::log(q[c] / p[c]);
  return 0.5 * kl_pq + 0.5 * kl_qp;
}

TEST(Jeffreys, OfClassesEqualsTheSumOfDivergences) {
  base::RandomStream random(base::StreamKey(3));
  for (int k = 0; k < 5; ++k) {
    const std::vector<float> p = testing::random_floats(3, random), q = testing::random_floats(3, random);
    const auto softmax = [](const std::vector<float>& of) {
      std::vector<double> v;
      double sum = 0;
      for (const float logit : of) sum += std::exp(static_cast<double>(logit));
      for (const float logit : of) v.push_back(std::exp(static_cast<double>(logit)) / sum);
      return v;
    };
    const auto chance = [](float logit) {
      const double one = 1 / (1 + std::exp(-static_cast<double>(logit)));
      return std::vector<double>{one, 1 - one};
    };
    EXPECT_NEAR(Distribution::jeffreys(distribution(Family::categorical, p), distribution(Family::categorical, q)),
                discrete_jeffreys(softmax(p), softmax(q)), 1e-12);
    EXPECT_NEAR(Distribution::jeffreys(distribution(Family::bernoulli, std::span(p).first(1)),
                                       distribution(Family::bernoulli, std::span(q).first(1))),
                discrete_jeffreys(chance(p[0]), chance(q[0])), 1e-12);
  }
}

TEST(LogLikelihood, OfEverySurrogateSumsToOne) {
  base::RandomStream random(base::StreamKey(4));
  const std::vector<float> logits = testing::random_floats(3, random);
  const Distribution categorical = distribution(Family::categorical, logits),
                     bernoulli = distribution(Family::bernoulli, std::span(logits).first(1)),
                     normal = distribution(Family::normal, std::span(logits).first(2));
  double three = 0, two = 0, all = 0;
  for (const float y : {0.0F, 1.0F, 2.0F}) three += std::exp(categorical.log_likelihood(std::span(&y, 1)));
  for (const float y : {0.0F, 1.0F}) two += std::exp(bernoulli.log_likelihood(std::span(&y, 1)));
  for (int i = -3840; i <= 3840; ++i) {
    const float y = static_cast<float>(i) / 128;  // exact
    all += std::exp(normal.log_likelihood(std::span(&y, 1))) / 128;
  }
  EXPECT_NEAR(three, 1, 1e-12);
  EXPECT_NEAR(two, 1, 1e-12);
  EXPECT_NEAR(all, 1, 1e-9);
}

TEST(LogLikelihood, OfExtremeLogitsIsFiniteAndOfNaNIsNaN) {
  const std::vector<float> far = {300.0F}, wide = {-500.0F, 0.0F, 500.0F}, sharp = {0.0F, -50.0F}, flat = {0.0F, 50.0F};
  const float zero = 0, one = 1;
  EXPECT_NEAR(distribution(Family::bernoulli, far).log_likelihood(std::span(&zero, 1)), -300, 1e-9);
  EXPECT_NEAR(distribution(Family::bernoulli, far).log_likelihood(std::span(&one, 1)), 0, 1e-9);
  EXPECT_NEAR(distribution(Family::categorical, wide).log_likelihood(std::span(&zero, 1)), -1000, 1e-9);
  // Log variances are drawn in to −8 … 6.
  const double log_two_pi = std::log(2 * M_PI);
  EXPECT_NEAR(distribution(Family::normal, sharp).log_likelihood(std::span(&zero, 1)), -0.5 * (log_two_pi - 8), 1e-12);
  EXPECT_NEAR(distribution(Family::normal, flat).log_likelihood(std::span(&zero, 1)), -0.5 * (log_two_pi + 6), 1e-12);
  const std::vector<float> lost = {std::nanf(""), std::nanf(""), std::nanf("")};
  EXPECT_TRUE(std::isnan(distribution(Family::bernoulli, std::span(lost).first(1)).log_likelihood(std::span(&one, 1))));
  EXPECT_TRUE(std::isnan(distribution(Family::normal, std::span(lost).first(2)).log_likelihood(std::span(&one, 1))));
  EXPECT_TRUE(std::isnan(distribution(Family::categorical, lost).log_likelihood(std::span(&one, 1))));
}

/// A log variance beyond its bounds has no influence, so no gradient.
TEST(LogLikelihood, HasNoGradientWhereTheLogVarianceIsDrawnIn) {
  const std::vector<float> sharp = {0.3F, -9.0F};
  const float y = 0;
  std::vector<float> gradient(2, 0.0F);
  distribution(Family::normal, sharp).log_likelihood(std::span(&y, 1), 1, gradient.data());
  EXPECT_NEAR(gradient[0], -0.3 * std::exp(8.0), 1e-3);
  EXPECT_EQ(gradient[1], 0.0F);
}

/// No step away from the marginal prediction gains anything.
TEST(MarginalPrediction, IsTheBestConstant) {
  base::RandomStream random(base::StreamKey(6));
  for (const Family family : {Family::normal, Family::bernoulli, Family::categorical}) {
    Architecture a = testing::small_architecture(family);
    std::vector<float> targets;
    for (int i = 0; i < 4000; ++i)
      for (std::size_t d = 0; d < target_numbers(a); ++d)
        targets.push_back(family == Family::normal ? static_cast<float>(2 + 3 * random.normal())
                                                   : static_cast<float>(std::min(random.below(3), a.target_width - 1)));
    const auto mean = [&](const std::vector<float>& prediction) {
      const Distribution q = distribution(family, prediction);
      double sum = 0;
      for (std::size_t i = 0; i < targets.size(); i += target_numbers(a))
        sum += q.log_likelihood(std::span(targets).subspan(i, target_numbers(a)));
      return sum;
    };
    const std::vector<float> best = marginal_prediction(a, targets);
    ASSERT_EQ(best.size(), a.predictions());
    const double here = mean(best);
    for (std::size_t p = 0; p < best.size(); ++p)
      for (const float step : {-0.05F, 0.05F}) {
        std::vector<float> other = best;
        other[p] += step;
        EXPECT_LT(mean(other), here) << "prediction " << p;
      }
  }
}

TEST(MarginalPrediction, StaysFiniteWithoutAClassAndWithoutSpread) {
  Architecture a = testing::small_architecture(Family::categorical);
  for (const float logit : marginal_prediction(a, std::vector<float>(10, 1.0F))) EXPECT_TRUE(std::isfinite(logit));
  a = testing::small_architecture(Family::normal);
  for (const float value : marginal_prediction(a, std::vector<float>(10, 1.0F))) EXPECT_TRUE(std::isfinite(value));
}

}  // namespace
}  // namespace macmi::maps
