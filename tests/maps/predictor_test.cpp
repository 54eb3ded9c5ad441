// Fresh predictors and l1 paths on data whose best predictor is known.
#include "maps/predictor.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "evaluate/metrics.hpp"

namespace macmi::maps {
namespace {

/// Class 1 with log odds 2 · a + b; `noise` tells nothing. Each a vector of two columns, the second without meaning.
struct Drawn {
  Dataset data;
  std::vector<double> log_odds;
};

Drawn draw(std::size_t n) {
  base::RandomStream random(base::StreamKey(3).with("predictors"));
  Drawn made;
  Dataset& data = made.data;
  data.source = "drawn";
  for (const std::string& name : {std::string("a"), std::string("b"), std::string("noise")}) {
    Feature& feature = data.features.emplace_back();
    feature.name = name;
    feature.channels = 2;
    feature.columns.resize(2);
    feature.columns[0].name = "tells";
    feature.columns[1].name = "tells nothing";
  }
  data.target.name = "class";
  DataColumn& y = data.target.columns.emplace_back();
  y.name = data.target.name;
  y.type = ColumnType::boolean;
  y.labels = {"0", "1"};
  for (std::size_t i = 0; i < n; ++i) {
    data.rows.push_back(i);
    for (Feature& feature : data.features)
      for (DataColumn& column : feature.columns) column.values.push_back(random.normal());
    made.log_odds.push_back(2 * data.features[0].columns[0].values[i] + data.features[1].columns[0].values[i]);
    y.codes.push_back(random.uniform() < 1 / (1 + std::exp(-made.log_odds[i])));
    y.values.push_back(y.codes.back());
  }
  return made;
}

MapsOptions short_training() {
  MapsOptions options;
  options.epochs = 20;
  options.restarts = 1;
  options.threads = 1;
  return options;
}

double auc(const std::vector<double>& score, const Dataset& data, const std::vector<std::size_t>& rows) {
  evaluate::Scored scored{score, {}};
  for (const std::size_t i : rows) scored.positive.push_back(data.target.columns[0].codes[i] != 0);
  return evaluate::area_under_roc(scored);
}

// ctest label long: learns every predictor on large samples
TEST(Predictors, ComeCloseToTheBestOnNewSamples) {
  const Drawn made = draw(1500);
  PredictorRows rows;
  for (std::size_t i = 0; i < 1500; ++i) (i % 3 == 0 ? rows.test : rows.train).push_back(i);
  std::vector<double> best, half;
  for (const std::size_t i : rows.test) {
    best.push_back(made.log_odds[i]);
    half.push_back(made.data.features[0].columns[0].values[i]);
  }
  const std::vector<std::size_t> all = {0, 1, 2}, first = {0}, none;
  const Predicted with_all = fit_predictor(made.data, all, rows, short_training());
  const double limit = auc(best, made.data, rows.test);
  EXPECT_LT(auc(with_all.score, made.data, rows.test), limit + 0.01);  // nothing beats the truth, but for chance
  EXPECT_GT(auc(with_all.score, made.data, rows.test), limit - 0.03);
  const Predicted with_one = fit_predictor(made.data, first, rows, short_training());
  EXPECT_NEAR(auc(with_one.score, made.data, rows.test), auc(half, made.data, rows.test), 0.03);
  double gain = 0;
  for (const double g : with_all.gain) gain += g / static_cast<double>(with_all.gain.size());
  EXPECT_GT(gain, 0.15);  // I(X; Y) of these log odds is 0.26 nats, by integration; samples of 1000 reach most of it
  EXPECT_EQ(auc(fit_predictor(made.data, none, rows, short_training()).score, made.data, rows.test), 0.5);
}

TEST(L1Path, GivesUpWhatTellsNothingFirst) {
  const Drawn made = draw(1500);
  std::vector<std::size_t> rows;
  for (std::size_t i = 0; i < 1500; ++i) rows.push_back(i);
  const std::vector<PathPoint> path = l1_path(made.data, rows, short_training());
  ASSERT_GT(path.size(), 10u);
  EXPECT_EQ(path.front().penalty, 0);
  EXPECT_NEAR(path.back().penalty, 0.1, 1e-9);
  const L1Ranking ranking = rank_by_path(path);
  EXPECT_EQ(ranking.order, (std::vector<std::size_t>{0, 1, 2}));
  EXPECT_GE(ranking.best_size, 2u);
}

TEST(L1Path, IsRankedByWhenWeightsEnd) {
  const std::vector<PathPoint> path = {
      {0, -1, {1, 1, 1}}, {0.01, -0.5, {0.5, 0.9, 0.1}}, {0.02, -0.6, {0.4, 0.3, 0}}, {0.1, -0.9, {0, 0.1, 0.01}}};
  const L1Ranking ranking = rank_by_path(path);
  EXPECT_EQ(ranking.order, (std::vector<std::size_t>{1, 0, 2}));
  EXPECT_EQ(ranking.best_size, 3u);
}

}  // namespace
}  // namespace macmi::maps
