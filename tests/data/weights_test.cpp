// Rows that stand for several equal rows: --weight. The truth is the table with its rows written as often.
#include <gtest/gtest.h>

#include <array>

#include "data/given_file.hpp"
#include "data/same_dataset.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"
#include "macmi/memory_table.hpp"

namespace macmi::data {
namespace {

using Names = std::vector<std::string>;

const std::string header = "n,u,x,word,y\n";
/// n, then unit, x, word, y: a gap in x, a row without a target, a word that weight 0 takes away.
const std::vector<std::pair<int, std::string>> rows = {{2, "a,0.5,red,1.25\n"}, {1, "b,,blue,2.5\n"},
                                                       {0, "c,9,green,7.5\n"},  {3, "a,-1,blue,3.5\n"},
                                                       {2, "b,4,red,\n"},       {1, "c,2,blue,0.5\n"}};

struct Given : GivenFile {
  explicit Given(const std::string& csv) : GivenFile(csv) { options.weight = "n"; }
};

std::string weighted_csv() {
  std::string csv = header;
  for (const auto& [n, row] : rows) csv += std::to_string(n) + "," + row;
  return csv;
}

std::string repeated_csv() {
  std::string csv = header;
  for (const auto& [n, row] : rows)
    for (int copy = 0; copy < n; ++copy) csv += "1," + row;
  return csv;
}

TEST(Weights, ARowIsReadAsOftenAsItsWeightSays) {
  Given weighted(weighted_csv()), repeated(repeated_csv());
  for (const char* unit : {"", "u"}) {
    weighted.options.unit = repeated.options.unit = unit;
    const Dataset ours = weighted.read(), theirs = repeated.read();
    EXPECT_EQ(ours.rows, (std::vector<std::uint64_t>{0, 0, 1, 3, 3, 3, 5}));
    EXPECT_EQ(ours.units, theirs.units);
    EXPECT_EQ(ours.fingerprint(), theirs.fingerprint());
    expect_same(ours.target, theirs.target);
    ASSERT_EQ(ours.feature_names(), theirs.feature_names());
    for (std::size_t f = 0; f < ours.features.size(); ++f) expect_same(ours.features[f], theirs.features[f]);
    EXPECT_EQ(ours.feature("word").columns[0].labels, (Names{"blue", "red"}));
    EXPECT_EQ(ours.health.target_missing, 2u);
    EXPECT_EQ(ours.health.remarks[0], "6 rows stand for 9 (--weight n); 1 of weight 0 left out");
    EXPECT_EQ(theirs.health.remarks[0], "9 rows stand for 9 (--weight n)");
  }
}

TEST(Weights, NumbersInMemoryAndNumbersReadAsTextAreTheSame) {
  const std::vector<double> x = {1, 2, 3}, y = {0.5, 0.25, 0.75}, n = {2, 0, 3};
  const MemoryTable table{
      "X",
      3,
      {{.name = "x", .numbers = x.data()}, {.name = "y", .numbers = y.data()}, {.name = "n", .numbers = n.data()}}};
  DataOptions options;
  options.target = {"y"}, options.weight = "n";
  const Dataset data = make_dataset(table, options);
  EXPECT_EQ(data.feature_names(), (Names{"x"}));
  EXPECT_EQ(data.feature("x").columns[0].values, (std::vector<double>{1, 1, 3, 3, 3}));
  Given text("n,x,y\n2,1,0.5\n0,2,0.25\n3,3,0.75\n");
  text.options.type = {"n=categorical"};
  EXPECT_EQ(text.read().fingerprint(), data.fingerprint());
}

/// Of 10 rows 5 are drawn: each of the w copies of a row with probability 1/2. The number of copies is hypergeometric
/// with a variance of at most 2/3, so that the mean over 400 seeds is within 0.17 (4 standard errors) of w / 2.
TEST(Weights, CopiesAreDrawnEachOnItsOwn) {
  Given given("n,x,y\n1,1,0.5\n2,2,0.25\n3,3,0.75\n4,4,1.25\n");
  given.options.rows = 5;
  std::array<double, 4> mean{};
  for (given.options.seed = 0; given.options.seed < 400; ++given.options.seed) {
    const Dataset data = given.read();
    ASSERT_EQ(data.samples(), 5u);
    EXPECT_EQ(data.health.not_drawn, 5u);
    for (std::size_t s = 0; s < 5; ++s) {
      EXPECT_EQ(data.feature("x").columns[0].values[s], static_cast<double>(data.rows[s] + 1));
      mean[data.rows[s]] += 1.0 / 400;
    }
  }
  for (std::size_t r = 0; r < 4; ++r) EXPECT_NEAR(mean[r], static_cast<double>(r + 1) / 2, 0.17) << r;
}

TEST(Weights, RefusalsNameTheRowAndSayWhatToDo) {
  const auto refusal = [](const std::string& weight) {
    return Given("n,x,y\n1,1,5\n" + weight + ",2,6\n2,4,9\n").refusal();
  };
  const auto expect = [](const std::string& text, const std::string& part) {
    EXPECT_NE(text.find(part), std::string::npos) << text;
  };
  expect(refusal("0.5"), "--weight n is 0.5 in row 2");
  expect(refusal("0.5"), "give whole numbers from 0 on");
  expect(refusal("-1"), "--weight n is -1 in row 2");
  expect(refusal(""), "--weight n has no value in row 2");
  expect(refusal("often"), "--weight n is 'often' in row 2");
  expect(refusal("inf"), "--weight n is inf in row 2");
  expect(refusal("1e9"), "stand for 1e+09 rows");
  expect(Given("n,x,y\n0,1,5\n0,2,6\n").refusal(), "zero in every row");
  const auto with = [](auto change) {
    Given given(weighted_csv());
    change(given.options);
    return given.refusal();
  };
  expect(with([](DataOptions& o) { o.weight = "m"; }), "no column 'm'");
  expect(with([](DataOptions& o) { o.weight = "y"; }), "is --id, --time, --unit or --weight");
  expect(with([](DataOptions& o) { o.unit = "n"; }), "different columns");
  expect(with([](DataOptions& o) { o.time = "x"; }), "leave one of them out");
  expect(with([](DataOptions& o) { o.id = "u", o.time = "x"; }), "leave one of them out");
}

}  // namespace
}  // namespace macmi::data
