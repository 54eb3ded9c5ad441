// Adam and its schedule against the formulas of the papers in double precision.
#include "maps/training/adam.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace macmi::maps {
namespace {

TEST(Adam, FollowsTheFormulas) {
  base::RandomStream random(base::StreamKey(1).with("adam"));
  constexpr double rate = 0.01, decay = 0.3;
  std::vector<float> parameters(7), gradient(7);
  for (float& p : parameters) p = static_cast<float>(random.normal());
  std::vector<double> want(parameters.begin(), parameters.end()), m(7, 0.0), v(7, 0.0);
  AdamMoments moments(7);
  for (int step = 0; step < 50; ++step) {
    for (std::size_t i = 0; i < 7; ++i) {
      gradient[i] = static_cast<float>(random.normal() * std::pow(10.0, static_cast<double>(i) - 3));
      const double g = gradient[i];
      m[i] = 0.9 * m[i] + 0.1 * g;
      v[i] = 0.999 * v[i] + 0.001 * g * g;
      const double first = m[i] / (1 - std::pow(0.9, step + 1)), second = v[i] / (1 - std::pow(0.999, step + 1));
      want[i] += rate * (first / (std::sqrt(second) + 1e-8) - decay * want[i]);
    }
    adam_ascend(parameters, gradient, moments, step, rate, decay);
  }
  // Fifty steps of 0.01 in single precision.
  for (std::size_t i = 0; i < 7; ++i) EXPECT_NEAR(parameters[i], want[i], 2e-6) << i;
}

TEST(Adam, LeavesParametersWithoutGradientAndDecayAlone) {
  std::vector<float> parameters = {0.5F, -2.0F}, gradient = {0.0F, 0.0F};
  AdamMoments moments(2);
  adam_ascend(parameters, gradient, moments, 0, 0.1, 0);
  EXPECT_EQ(parameters, (std::vector<float>{0.5F, -2.0F}));
  adam_ascend(parameters, gradient, moments, 1, 0.1, 0.5);
  EXPECT_FLOAT_EQ(parameters[1], -2.0F * 0.95F);
}

TEST(Adam, RateFallsAlongHalfACosine) {
  EXPECT_DOUBLE_EQ(cosine_rate(0.01, 0.001, 0), 0.01);
  EXPECT_NEAR(cosine_rate(0.01, 0.001, 0.5), 0.0055, 1e-15);
  EXPECT_DOUBLE_EQ(cosine_rate(0.01, 0.001, 1), 0.001);
  for (int i = 0; i <= 100; ++i)
    EXPECT_NEAR(cosine_rate(1, 0, i / 100.0), 0.5 * (1 + std::cos(M_PI * i / 100.0)), 1e-13);
}

}  // namespace
}  // namespace macmi::maps
