#include "evaluate/metrics.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace macmi::evaluate {
namespace {

Scored draw(std::size_t n, std::uint64_t seed, bool coarse) {
  base::RandomStream random(base::StreamKey(seed).with("metrics"));
  Scored s;
  for (std::size_t i = 0; i < n; ++i) {
    s.positive.push_back(random.uniform() < 0.3);
    const double value = random.normal() + s.positive.back();
    s.score.push_back(coarse ? std::round(value) : value);
  }
  return s;
}

TEST(Metrics, AreaIsTheShareOfPairsInOrder) {
  for (const bool coarse : {false, true}) {
    const Scored s = draw(200, 1, coarse);
    double right = 0, pairs = 0;
    for (std::size_t i = 0; i < 200; ++i)
      for (std::size_t j = 0; j < 200; ++j) {
        if (s.positive[i] == 0 || s.positive[j] != 0) continue;
        ++pairs;
        right += s.score[i] > s.score[j] ? 1 : s.score[i] == s.score[j] ? 0.5 : 0;
      }
    EXPECT_NEAR(area_under_roc(s), right / pairs, 1e-12);
    double area = 0;  // the same as the area under the curve itself, by trapezoids
    const std::vector<RocPoint> curve = roc_curve(s);
    for (std::size_t p = 1; p < curve.size(); ++p)
      area += (curve[p].false_positive - curve[p - 1].false_positive) *
              (curve[p].true_positive + curve[p - 1].true_positive) / 2;
    EXPECT_NEAR(area, right / pairs, 1e-12);
  }
}

TEST(Metrics, PrecisionIsAveragedOverRecall) {
  const Scored s = draw(150, 2, true);
  double positives = 0, sum = 0;
  for (const auto p : s.positive) positives += p;
  for (std::size_t i = 0; i < 150; ++i) {  // each positive: the precision among all that score at least as high
    if (s.positive[i] == 0) continue;
    double found = 0, taken = 0;
    for (std::size_t j = 0; j < 150; ++j)
      if (s.score[j] >= s.score[i]) ++taken, found += s.positive[j];
    sum += found / taken;
  }
  EXPECT_NEAR(average_precision(s), sum / positives, 1e-12);
}

TEST(Metrics, ExtremesAndNothing) {
  EXPECT_EQ(area_under_roc({{1, 2, 3}, {0, 0, 1}}), 1);
  EXPECT_EQ(area_under_roc({{1, 2, 3}, {1, 0, 0}}), 0);
  EXPECT_EQ(area_under_roc({{5, 5, 5}, {1, 0, 0}}), 0.5);
  EXPECT_EQ(average_precision({{5, 5, 5, 5}, {1, 0, 0, 0}}), 0.25);
  EXPECT_TRUE(std::isnan(area_under_roc({{1, 2}, {0, 0}})));
  EXPECT_TRUE(std::isnan(average_precision({{1, 2}, {0, 0}})));
}

TEST(Metrics, RanksMakeModelsComparable) {
  const std::vector<double> score = {10, 20, 20, 1, 3, 2};
  const std::vector<std::int32_t> group = {0, 0, 0, 1, 1, 1};
  const std::vector<double> ranks = ranks_within(score, group);
  const std::vector<double> expected = {0.5 / 3, 2.0 / 3, 2.0 / 3, 0.5 / 3, 2.5 / 3, 1.5 / 3};
  for (std::size_t i = 0; i < 6; ++i) EXPECT_NEAR(ranks[i], expected[i], 1e-15);
}

}  // namespace
}  // namespace macmi::evaluate
