// How series become network input: against the formulas, written out by hand.
#include "maps/coding.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maps/choose_recipe.hpp"

namespace macmi::maps {
namespace {

Feature series(const std::string& name, const std::vector<std::vector<double>>& samples) {
  Feature feature;
  feature.name = name;
  feature.steps = samples[0].size();
  for (std::size_t t = 0; t < feature.steps; ++t) {
    DataColumn& column = feature.columns.emplace_back();
    column.name = name;
    column.type = ColumnType::integer;
    for (const auto& sample : samples) column.values.push_back(sample[t]);
  }
  return feature;
}

Dataset dataset(std::vector<Feature> features) {
  Dataset data;
  data.features = std::move(features);
  for (std::size_t i = 0; i < data.features[0].columns[0].values.size(); ++i) data.rows.push_back(i);
  data.target.name = "y";
  DataColumn& y = data.target.columns.emplace_back();
  y.name = "y";
  for (std::size_t i = 0; i < data.rows.size(); ++i) y.values.push_back(static_cast<double>(i % 2));
  return data;
}

TEST(SeriesInput, ReadingsAreLevelsAndChanges) {
  const double gap = std::nan("");
  const std::vector<double> steps = {gap, 0, 9, gap, 4, 4};
  const auto log = readings(steps, Reading::log_value), change = readings(steps, Reading::change),
             log_change = readings(steps, Reading::log_change);
  for (const std::size_t there : {1, 2, 4, 5}) EXPECT_DOUBLE_EQ(log[there], std::log(1 + steps[there]));
  EXPECT_TRUE(std::isnan(log[0]) && std::isnan(change[3]));
  EXPECT_EQ(change[1], 0);  // nothing before it
  EXPECT_EQ(change[2], 9);
  EXPECT_EQ(change[4], -5);  // from the last value there was
  EXPECT_DOUBLE_EQ(log_change[4], -std::log(6));
  EXPECT_EQ(log_change[5], 0);
  EXPECT_EQ(readings(std::vector<double>{-3, 1}, Reading::log_value)[0], -std::log(4));
}

TEST(SeriesInput, CountersAreSeenTwiceOnLogarithmicScales) {
  const Dataset data = dataset({series("counter", {{0, 1, 3}, {5, 5, 5}, {100, 100, 4000000}})});
  const Coding coding = plan_coding(data, MapKind::automatic, 1);
  ASSERT_EQ(coding.features.size(), 1u);
  const FeatureCoding& f = coding.features[0];
  EXPECT_EQ(f.shape.encoder, Encoder::gru);
  EXPECT_EQ(f.shape.width, 2u);
  EXPECT_EQ(f.channels, (std::vector<std::size_t>{0, 0}));
  EXPECT_EQ(f.columns[0].reading, Reading::log_value);
  EXPECT_EQ(f.columns[1].reading, Reading::log_change);
  // Mean and standard deviation of the nine logarithms.
  const std::vector<double> levels = {0,           std::log(2),   std::log(4),   std::log(6),      std::log(6),
                                      std::log(6), std::log(101), std::log(101), std::log(4000001)};
  double mean = 0, squares = 0;
  for (const double v : levels) mean += v / 9;
  for (const double v : levels) squares += (v - mean) * (v - mean) / 9;
  EXPECT_NEAR(f.columns[0].center, mean, 1e-12);
  EXPECT_NEAR(f.columns[0].scale, std::sqrt(squares), 1e-12);
  const Architecture architecture = choose_architecture(data, coding, {});
  const CodedFeatures coded = code_features(data, coding, architecture);
  ASSERT_EQ(coded.values[0].size(), 3u * 3 * 2);
  EXPECT_NEAR(coded.values[0][0 * 6 + 2 * 2], (std::log(4) - mean) / std::sqrt(squares), 1e-6);
  EXPECT_NEAR(coded.values[0][0 * 6 + 1 * 2 + 1], (std::log(2) - f.columns[1].center) / f.columns[1].scale, 1e-6);
}

TEST(SeriesInput, IsCutOffAtSixDeviations) {
  ColumnCoding coding{0, 1, 0, Reading::log_change};
  EXPECT_EQ(network_value(100, coding), 6);
  EXPECT_EQ(network_value(-7, coding), -6);
  EXPECT_EQ(network_value(5.5, coding), 5.5F);
  coding.reading = Reading::value;
  EXPECT_GT(network_value(100, coding), 6);
}

TEST(SeriesInput, OtherNumbersKeepTheirScale) {
  const Dataset data = dataset({series("temperature", {{0.5, -1, 3}, {5, 5, 2}, {1, 0, 4}})});
  const FeatureCoding f = plan_coding(data, MapKind::gru, 1).features[0];
  EXPECT_EQ(f.columns[0].reading, Reading::value);
  EXPECT_EQ(f.columns[1].reading, Reading::change);
  // A perceptron sees the steps as they are.
  const FeatureCoding mlp = plan_coding(data, MapKind::mlp, 1).features[0];
  ASSERT_EQ(mlp.columns.size(), 1u);
  EXPECT_EQ(mlp.columns[0].reading, Reading::value);
}

TEST(SeriesInput, EqualAndConstantSeriesGetNoMapOfTheirOwn) {
  const std::vector<std::vector<double>> values = {{0, 1, 3}, {5, 5, 5}, {1, 0, 4}};
  Dataset data = dataset({series("b", values), series("flat", {{7, 7, 7}, {7, 7, 7}, {7, 7, 7}}), series("a", values)});
  data.health.duplicates = {{"b", "a"}};
  const Coding coding = plan_coding(data, MapKind::automatic, 1);
  ASSERT_EQ(coding.features.size(), 1u);
  EXPECT_EQ(coding.features[0].feature, 2u);  // the first by name
  ASSERT_EQ(coding.set_aside.size(), 2u);
  EXPECT_EQ(coding.set_aside[0].equal_to, 2u);
  EXPECT_EQ(coding.set_aside[1].feature, 1u);
  EXPECT_FALSE(coding.set_aside[1].equal_to.has_value());
}

}  // namespace
}  // namespace macmi::maps
