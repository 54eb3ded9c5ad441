// Measures over the parts of a cross-validation, against their definitions.
#include "evaluate/summary.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "base/random.hpp"
#include "evaluate/metrics.hpp"

namespace macmi::evaluate {
namespace {

constexpr std::size_t n = 400;

struct Case {
  Dataset data;
  std::vector<std::int32_t> part_of;
  std::vector<ScoredSet> sets;
};

/// Scores that know the class with noise of the given size; parts on scales of their own.
Case make(bool classes) {
  base::RandomStream random(base::StreamKey(5).with("summary"));
  Case c;
  DataColumn& y = c.data.target.columns.emplace_back();
  c.data.target.name = y.name = "y";
  c.sets = {{"all", {{"a", "b"}, {"a", "b"}}, {}, {}},
            {"selected", {{"a"}, {"a"}}, {}, {}},
            {"l1", {{"a"}, {"b"}}, {}, {}},
            {"random 1", {{"b"}, {"b"}}, {}, {}},
            {"random 2", {{"a"}, {"b"}}, {}, {}}};
  for (std::size_t i = 0; i < n; ++i) {
    c.data.rows.push_back(i);
    const bool positive = random.uniform() < 0.4;
    if (classes) y.codes.push_back(positive);
    y.values.push_back(positive);
    c.part_of.push_back(static_cast<std::int32_t>(i % 2));
    const double own = positive + random.normal(), scale = c.part_of[i] == 0 ? 1 : 50;
    for (std::size_t s = 0; s < 5; ++s) {
      c.sets[s].score.push_back(scale * (s < 2 ? own : s == 2 ? 0.2 * positive + random.normal() : random.normal()));
      c.sets[s].gain.push_back(s < 2 ? 0.1 : 0.1 * random.normal());
    }
  }
  if (classes) y.type = ColumnType::boolean, y.labels = {"0", "1"};
  return c;
}

TEST(EvaluationSummary, AreasAreMeansOverParts) {
  const Case c = make(true);
  const Evaluation e = summarise({c.data, c.part_of, 2, 1}, c.sets, 400);
  ASSERT_EQ(e.sets.size(), 4u);
  EXPECT_EQ(e.sets[3].name, "random");
  const auto area = [&](const ScoredSet& set) {
    double mean = 0;
    for (const int part : {0, 1}) {
      Scored scored;
      for (std::size_t i = 0; i < n; ++i)
        if (c.part_of[i] == part)
          scored.score.push_back(set.score[i]), scored.positive.push_back(c.data.target.columns[0].codes[i] == 1);
      mean += area_under_roc(scored) / 2;
    }
    return mean;
  };
  for (std::size_t s = 0; s < 3; ++s) EXPECT_NEAR(e.sets[s].auc, area(c.sets[s]), 1e-12);
  EXPECT_NEAR(e.sets[3].auc, (area(c.sets[3]) + area(c.sets[4])) / 2, 1e-12);
  EXPECT_EQ(e.sets[0].size, 2);
  EXPECT_NEAR(e.sets[1].gain, 0.1, 1e-12);
}

TEST(EvaluationSummary, DifferencesArePaired) {
  const Case c = make(true);
  const Evaluation e = summarise({c.data, c.part_of, 2, 1}, c.sets, 400);
  ASSERT_EQ(e.differences.size(), 3u);
  EXPECT_EQ(e.differences[0].second, "all");  // the same scores: no difference in any resampling
  EXPECT_EQ(e.differences[0].difference, 0);
  EXPECT_EQ(e.differences[0].low, 0);
  EXPECT_EQ(e.differences[0].high, 0);
  EXPECT_EQ(e.differences[2].second, "random");  // the mean of both
  EXPECT_NEAR(e.differences[2].difference, e.sets[1].auc - e.sets[3].auc, 1e-12);
  const EvaluatedDifference& l1 = e.differences[1];
  EXPECT_NEAR(l1.difference, e.sets[1].auc - e.sets[2].auc, 1e-12);
  EXPECT_LT(l1.low, l1.difference);
  EXPECT_GT(l1.high, l1.difference);
  // Hanley & McNeil's (1982) standard errors of both areas, as if independent: the interval is of that size.
  const auto error = [&](double a) {
    const double positives = 0.4 * n / 2, negatives = 0.6 * n / 2, q1 = a / (2 - a), q2 = 2 * a * a / (1 + a);
    return std::sqrt((a * (1 - a) + (positives - 1) * (q1 - a * a) + (negatives - 1) * (q2 - a * a)) /
                     (positives * negatives) / 2);
  };
  const double expected = 2 * 1.96 * std::hypot(error(e.sets[1].auc), error(e.sets[2].auc));
  EXPECT_GT(l1.high - l1.low, 0.7 * expected);
  EXPECT_LT(l1.high - l1.low, 1.3 * expected);
}

TEST(EvaluationSummary, OfNumbersIsSquaredCorrelation) {
  const Case c = make(false);
  const Evaluation e = summarise({c.data, c.part_of, 2, 1}, c.sets, 100);
  EXPECT_FALSE(e.two_classes);
  EXPECT_GT(e.sets[0].r_squared, 0.1);
  EXPECT_LT(e.sets[3].r_squared, 0.05);
  EXPECT_EQ(e.differences[0].measure, "gain");
}

TEST(EvaluationSummary, IsReadBackAsItWasWritten) {
  const Case c = make(true);
  const Evaluation e = summarise({c.data, c.part_of, 2, 1}, c.sets, 100);
  const std::string text = evaluation_json(e);
  EXPECT_EQ(evaluation_json(read_evaluation_json(text, "e.json")), text);
  EXPECT_ANY_THROW(read_evaluation_json("{}", "e.json"));
  EXPECT_NE(evaluation_text(e).find("selected minus l1"), std::string::npos);
}

}  // namespace
}  // namespace macmi::evaluate
