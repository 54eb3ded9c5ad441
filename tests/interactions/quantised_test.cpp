#include "interactions/quantised.hpp"

#include <gtest/gtest.h>

#include <limits>

#include "base/random.hpp"

namespace macmi::interactions {
namespace {

DataColumn numbers(std::vector<double> values) {
  DataColumn column;
  column.values = std::move(values);
  return column;
}

DataColumn labels(std::vector<std::int32_t> codes) {
  DataColumn column;
  column.type = ColumnType::categorical;
  column.codes = std::move(codes);
  return column;
}

std::vector<std::size_t> sizes(const Levels& levels) {
  std::vector<std::size_t> counts(most_levels);
  for (const std::uint8_t level : levels) ++counts[level];
  return counts;
}

TEST(Quantised, NumbersByQuartiles) {
  EXPECT_EQ(quantised(numbers({8, 1, 7, 2, 6, 3, 5, 4}), 0), (Levels{3, 0, 3, 0, 2, 1, 2, 1}));
  EXPECT_EQ(quantised(numbers({5, 5, 5}), 0), (Levels{0, 0, 0}));
}

/// Cuts lie between different values, those nearest to the quartiles; two values are two halves.
TEST(Quantised, TiesStayTogether) {
  EXPECT_EQ(quantised(numbers({0, 1, 0, 0, 1, 0, 0}), 0), (Levels{0, 2, 0, 0, 2, 0, 0}));
  EXPECT_EQ(quantised(numbers({0, 0, 0, 0, 0, 0, 1, 2}), 0), (Levels{0, 0, 0, 0, 0, 0, 2, 3}));
  EXPECT_EQ(quantised(numbers({0, 1, 2, 2, 2, 2, 2, 2}), 0), (Levels{0, 1, 2, 2, 2, 2, 2, 2}));
}

/// Twelve labels in groups of equal weight; halves are of equal weight, too.
TEST(Quantised, ManyLabelsAreGrouped) {
  std::vector<std::int32_t> codes;
  for (std::int32_t code = 0; code < 12; ++code)
    for (int times = 0; times < (code == 0 ? 40 : 10); ++times) codes.push_back(code);
  const std::vector<std::size_t> counts = sizes(quantised(labels(codes), 0));
  for (const std::size_t count : counts) EXPECT_NEAR(static_cast<double>(count), 37.5, 10);
  EXPECT_EQ(sizes(quantised(labels({0, 1, 1, 1, 1, 0}), 0)), (std::vector<std::size_t>{4, 0, 2, 0}));
  EXPECT_EQ(sizes(quantised(labels({0, 1, 1, 1, 2, 2}), 0)), (std::vector<std::size_t>{3, 0, 2, 1}));
}

/// A third of the values is missing at random: the others keep their levels, and those drawn have the same shares.
TEST(Quantised, MissingValuesAreDrawnAsTheOthers) {
  base::RandomStream random(base::StreamKey(1));
  std::vector<double> values, there;
  for (int i = 0; i < 3000; ++i) {
    values.push_back(i % 3 ? random.normal() : std::numeric_limits<double>::quiet_NaN());
    if (i % 3) there.push_back(values.back());
  }
  const Levels levels = quantised(numbers(values), 5);
  Levels drawn, kept;
  for (std::size_t i = 0; i < 3000; ++i) (i % 3 ? kept : drawn).push_back(levels[i]);
  EXPECT_EQ(kept, quantised(numbers(there), 5));
  for (const std::size_t count : sizes(drawn)) EXPECT_NEAR(static_cast<double>(count), 250, 70);  // 5 deviations
  EXPECT_EQ(quantised(numbers(values), 5), levels);
  EXPECT_NE(quantised(numbers(values), 6), levels);
}

TEST(Quantised, SeriesAndConstantsTakeNoPart) {
  Dataset data;
  data.rows = {0, 1, 2};
  data.target.columns = {numbers({1, 2, 3})};
  Feature block, series, constant, single;
  block.columns = {numbers({1, 2, 3}), numbers({3, 2, 2})};
  block.channels = 2;
  series.columns = block.columns;
  series.steps = 2;
  constant.columns = {numbers({1, 1, 1})};
  single.columns = {labels({0, -1, 1})};
  data.features = {block, series, constant, single};
  const QuantisedSamples samples = quantise(data, 0);
  EXPECT_EQ(samples.feature, (std::vector<std::size_t>{0, 0, 3}));
  EXPECT_EQ(samples.samples(), 3u);
}

}  // namespace
}  // namespace macmi::interactions
