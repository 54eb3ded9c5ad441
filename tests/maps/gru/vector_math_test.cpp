// The kernels' logistic function and hyperbolic tangent.
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "maps/every_simd.hpp"
#include "maps/gru/gru_kernel.hpp"

namespace macmi::maps {
namespace {

/// Every place of the curves, from the smallest numbers to far beyond saturation, within 1e-6 of their own value: a few
/// units in the last place.
TEST(GruMath, SigmoidAndTanhAreAccurateRelativeToTheirValueWithTheSameBitsEverywhere) {
  std::vector<float> x;
  for (double magnitude = 1e-30; magnitude < 80; magnitude *= 1.003)
    for (const double sign : {-1.0, 1.0}) x.push_back(static_cast<float>(sign * magnitude));
  x.resize(x.size() / 16 * 16);
  std::vector<float> sigmoid(x.size()), tangent(x.size()), first_sigmoid, first_tangent;
  testing::for_every_simd([&](const std::string& simd) {
    SCOPED_TRACE(simd);
    gru_sigmoid(x.data(), x.size(), sigmoid.data());
    gru_tanh(x.data(), x.size(), tangent.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = x[i], s = 1 / (1 + std::exp(-at)), t = std::tanh(at);
      ASSERT_NEAR(sigmoid[i], s, 1e-6 * s) << at;
      ASSERT_NEAR(tangent[i], t, 1e-6 * std::fabs(t)) << at;
    }
    if (first_sigmoid.empty()) first_sigmoid = sigmoid, first_tangent = tangent;
    EXPECT_TRUE(testing::same_bits(sigmoid, first_sigmoid));
    EXPECT_TRUE(testing::same_bits(tangent, first_tangent));
  });
}

TEST(GruMath, InfiniteAndMissingNumbers) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  testing::for_every_simd([](const std::string& simd) {
    SCOPED_TRACE(simd);
    std::vector<float> x(16, std::numeric_limits<float>::quiet_NaN()), sigmoid(16), tangent(16);
    x[0] = infinity;
    x[1] = -infinity;
    x[2] = 0;
    gru_sigmoid(x.data(), 16, sigmoid.data());
    gru_tanh(x.data(), 16, tangent.data());
    EXPECT_EQ(sigmoid[0], 1.0F);
    EXPECT_LT(sigmoid[1], 1e-37F);
    EXPECT_EQ(sigmoid[2], 0.5F);
    EXPECT_EQ(tangent[0], 1.0F);
    EXPECT_EQ(tangent[1], -1.0F);
    EXPECT_EQ(tangent[2], 0.0F);
    for (std::size_t i = 3; i < 16; ++i) EXPECT_TRUE(std::isnan(sigmoid[i]) && std::isnan(tangent[i])) << i;
  });
}

}  // namespace
}  // namespace macmi::maps
