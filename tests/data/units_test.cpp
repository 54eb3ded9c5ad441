// Rows that belong to units, or are a series: --unit, --time without --id, --lags.
#include <gtest/gtest.h>

#include <cmath>

#include "data/given_file.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

using Names = std::vector<std::string>;

/// patient, day, x, word, y; not in the order of days.
const char* const rows_csv =
    "patient,day,x,word,y\n7,3,0.31,a,1\n9,1,0.42,b,2\n7,1,0.13,a,3\n7,2,0.24,b,5\n9,4,0.55,a,4\n12,9,0.66,b,7\n";

struct Given : GivenFile {
  Given() : GivenFile(rows_csv) {}
};

TEST(Units, TheColumnNamesTheUnitOfEachRowAndIsNoFeature) {
  Given given;
  const std::string alone = given.read().fingerprint();
  given.options.unit = "patient";
  const Dataset data = given.read();
  EXPECT_EQ(data.feature_names(), (Names{"day", "x", "word"}));
  EXPECT_EQ(data.units, (Names{"7", "9", "7", "7", "9", "12"}));
  EXPECT_EQ(data.unit_numbers(), (std::vector<std::int32_t>{0, 1, 0, 0, 1, 2}));
  EXPECT_FALSE(data.one_series);
  EXPECT_EQ(data.health.remarks.back(),
            "6 rows of 3 units (--unit patient): tests, parts and subsamples keep units whole");
  EXPECT_NE(data.fingerprint(), alone);
  const std::size_t rows[] = {1, 4, 5};
  EXPECT_EQ(take_samples(data, rows).units, (Names{"9", "9", "12"}));
}

TEST(Units, AnIdHasOneSampleOfEveryUnit) {
  Given given;
  given.options.id = "patient", given.options.time = "day", given.options.window = 1;
  const Dataset data = given.read();
  EXPECT_EQ(data.units, (Names{"7", "9", "12"}));
  EXPECT_TRUE(data.unit_numbers().empty());
  EXPECT_FALSE(data.one_series);
}

TEST(Units, TimeOrdersTheRowsOfAUnit) {
  Given given;
  given.options.unit = "patient", given.options.time = "day", given.options.lags = "1..2";
  const Dataset data = given.read();
  EXPECT_EQ(data.rows, (std::vector<std::uint64_t>{1, 2, 3, 0, 4, 5}));
  EXPECT_EQ(data.units, (Names{"9", "7", "7", "7", "9", "12"}));
  EXPECT_EQ(data.feature("x").columns[0].values, (std::vector<double>{0.42, 0.13, 0.24, 0.31, 0.55, 0.66}));
  EXPECT_EQ(data.target.columns[0].values, (std::vector<double>{2, 3, 5, 1, 4, 7}));
  EXPECT_EQ(data.feature_names(), (Names{"x", "x@-1", "x@-2", "word"}));
  const std::vector<double>& before = data.feature("x@-1").columns[0].values;
  for (const std::size_t first : {0, 1, 5}) EXPECT_TRUE(std::isnan(before[first])) << first;
  EXPECT_EQ(before[2], 0.13);
  EXPECT_EQ(before[3], 0.24);
  EXPECT_EQ(before[4], 0.42);
  EXPECT_EQ(data.feature("x@-2").columns[0].values[3], 0.13);
  EXPECT_EQ(data.feature("x@-2").incomplete(), 5u);
  EXPECT_FALSE(data.one_series);
}

TEST(Units, TimeAloneMakesOneSeries) {
  Given given;
  given.options.time = "day";
  EXPECT_NE(given.refusal().find("two rows at day 1 (rows 2 and 3)"), std::string::npos) << given.refusal();
  given.options.data = {given.scratch.write("series.csv", "t,x,y\n2020-01-03,1,5\n2020-01-01,2,6\n2020-01-02,4,9\n")};
  given.options.time = "t";
  const Dataset data = given.read();
  EXPECT_TRUE(data.one_series);
  EXPECT_EQ(data.feature_names(), (Names{"x"}));
  EXPECT_EQ(data.feature("x").columns[0].values, (std::vector<double>{2, 4, 1}));
  EXPECT_EQ(data.units.size(), 3u);
}

TEST(Units, RefusalsSayWhatToDo) {
  const auto refusal = [](auto change) {
    Given given;
    change(given.options);
    return given.refusal();
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(refusal([](DataOptions& o) { o.unit = "patent"; }), "did you mean 'patient'");
  expect(refusal([](DataOptions& o) { o.unit = "y"; }), "is named twice, or is --id, --time, --unit or --weight");
  expect(refusal([](DataOptions& o) { o.unit = o.time = "day"; }), "different columns");
  expect(refusal([](DataOptions& o) { o.id = "patient", o.time = "day", o.unit = "word"; }), "give one of them");
  expect(refusal([](DataOptions& o) { o.id = "patient"; }), "--id needs --time");
  expect(refusal([](DataOptions& o) { o.lags = "1"; }), "--lags needs --time");
  expect(refusal([](DataOptions& o) { o.time = "day", o.rows = 3; }), "--query");
  for (const char* lags : {"0", "x", "1..", "3..1", "-1", "1.5"})
    expect(refusal([&](DataOptions& o) { o.unit = "patient", o.time = "day", o.lags = lags; }), "--lags");
  Given one;
  one.options.data = {one.scratch.write("one.csv", "u,x,y\n1,1,5\n1,2,6\n1,4,9\n")};
  one.options.unit = "u";
  expect(one.refusal(), "has one value alone");
  one.options.data = {one.scratch.write("gap.csv", "u,x,y\n1,1,5\n,2,6\n1,4,9\n")};
  expect(one.refusal(), "--unit u has no value in row 2");
}

}  // namespace
}  // namespace macmi::data
