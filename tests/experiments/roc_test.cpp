#include "experiments/roc.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace macmi::experiments {
namespace {

std::vector<ScoredStatement> drawn(std::size_t count, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("statements"));
  std::vector<ScoredStatement> all;
  for (std::size_t i = 0; i < count; ++i) {
    const bool independent = random.below(3) == 0;
    // Few different p-values, so that z settles ties; sometimes both tie.
    all.push_back({independent, static_cast<double>(random.below(4)) / 4 + (independent ? 0.25 : 0),
                   static_cast<double>(random.below(3))});
  }
  return all;
}

TEST(Roc, AreaIsTheOneUnderTheCurve) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto statements = drawn(40, seed);
    const auto curve = roc_curve(statements);
    double area = 0;  // trapezoids: ties count half
    for (std::size_t i = 1; i < curve.size(); ++i)
      area += (curve[i].first - curve[i - 1].first) * 0.5 * (curve[i].second + curve[i - 1].second);
    EXPECT_NEAR(roc_area(statements), area, 1e-12);
    EXPECT_EQ(curve.front(), (std::pair<double, double>(0, 0)));
    EXPECT_NEAR(curve.back().first + curve.back().second, 2, 1e-12);
  }
}

TEST(Roc, KnownAreas) {
  EXPECT_EQ(roc_area({{true, 0.9, 0}, {false, 0.1, 0}, {true, 0.8, 0}}), 1);
  EXPECT_EQ(roc_area({{true, 0.01, 2}, {false, 0.01, 5}}), 1);  // p ties: the smaller z is nearer to independence
  EXPECT_EQ(roc_area({{true, 0.01, 2}, {false, 0.01, 2}}), 0.5);
  EXPECT_TRUE(std::isnan(roc_area({{true, 0.5, 0}})));
}

TEST(Roc, IntervalsAreStudents) {
  // t(0.975, 4) = 2.776445 and t(0.975, 1) = 12.706205 (tables).
  const MeanInterval five = mean_interval({1, 2, 3, 4, 5}), two = mean_interval({0, 2});
  EXPECT_NEAR(five.mean, 3, 1e-15);
  EXPECT_NEAR(five.half_width, 2.776445 * std::sqrt(2.5 / 5), 1e-5);
  EXPECT_NEAR(two.half_width, 12.706205, 1e-5);
  EXPECT_TRUE(std::isnan(mean_interval({1}).half_width));
}

}  // namespace
}  // namespace macmi::experiments
