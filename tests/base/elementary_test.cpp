// exp, log and cos against the C library's long doubles, whose own error is far below a double's last place.
#include "base/vector/elementary.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"

namespace macmi::base {
namespace {

constexpr double infinity = std::numeric_limits<double>::infinity();

/// |got − exact| in units of the last place of `exact`.
double ulps(double got, long double exact) {
  const auto rounded = static_cast<double>(exact);
  const double unit = std::nextafter(std::fabs(rounded), infinity) - std::fabs(rounded);
  return static_cast<double>(std::fabs(static_cast<long double>(got) - exact) / static_cast<long double>(unit));
}

TEST(Elementary, ExpIsWithinThreeUnitsOverItsWholeRange) {
  RandomStream random(StreamKey(1).with("exp"));
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = i % 2 ? random.uniform(-708, 709) : 3 * random.normal();
    worst = std::max(worst, ulps(exact_exp(x), std::exp(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 3);
}

TEST(Elementary, ExpAtItsEdges) {
  EXPECT_EQ(exact_exp(0), 1);
  EXPECT_EQ(exact_exp(-0.0), 1);
  EXPECT_EQ(exact_exp(1e-300), 1);
  EXPECT_EQ(exact_exp(infinity), infinity);
  EXPECT_EQ(exact_exp(800), infinity);
  EXPECT_EQ(exact_exp(-800), 0);
  EXPECT_EQ(exact_exp(-infinity), 0);
  EXPECT_TRUE(std::isnan(exact_exp(std::nan(""))));
  // No jumps: each of neighbouring arguments around the halves of ln 2, where the reduction changes.
  for (int k = -1000; k <= 1000; ++k) {
    const double x = (k + 0.5) * M_LN2;
    for (const double near : {std::nextafter(x, -infinity), x, std::nextafter(x, infinity)})
      ASSERT_LT(ulps(exact_exp(near), std::exp(static_cast<long double>(near))), 3) << near;
  }
}

TEST(Elementary, LogIsWithinTwoUnitsOverItsWholeRange) {
  RandomStream random(StreamKey(2).with("log"));
  double worst = 0;
  for (int i = 0; i < 200000; ++i) {
    const double x = i % 3 == 0   ? std::exp(random.uniform(-744, 709))  // subnormal numbers too
                     : i % 3 == 1 ? random.uniform(0.5, 2)
                                  : 1 + 1e-8 * random.normal();
    worst = std::max(worst, ulps(exact_log(x), std::log(static_cast<long double>(x))));
  }
  EXPECT_LT(worst, 2);
}

TEST(Elementary, LogAtItsEdges) {
  EXPECT_EQ(exact_log(1), 0);
  EXPECT_EQ(exact_log(0), -infinity);
  EXPECT_EQ(exact_log(infinity), infinity);
  EXPECT_TRUE(std::isnan(exact_log(-1)));
  EXPECT_TRUE(std::isnan(exact_log(std::nan(""))));
  const double smallest = std::numeric_limits<double>::denorm_min(), largest = std::numeric_limits<double>::max();
  EXPECT_LT(ulps(exact_log(smallest), std::log(static_cast<long double>(smallest))), 2);
  EXPECT_LT(ulps(exact_log(largest), std::log(static_cast<long double>(largest))), 2);
}

/// Schedules use it over half a turn, and need no more: the series of the sine ends at the thirteenth power, which
/// leaves 6e-14 a quarter of a turn from 0.
TEST(Elementary, CosHasThirteenDigits) {
  for (int i = -40000; i <= 40000; ++i) {
    const double x = i * 5e-4;  // ± 3 turns
    ASSERT_NEAR(exact_cos(x), static_cast<double>(std::cos(static_cast<long double>(x))), 1e-13) << x;
  }
  EXPECT_EQ(exact_cos(0), 1);
  EXPECT_EQ(exact_cos(M_PI), -1);
  EXPECT_TRUE(std::isnan(exact_cos(std::nan(""))));
  EXPECT_TRUE(std::isnan(exact_cos(infinity)));
}

}  // namespace
}  // namespace macmi::base
