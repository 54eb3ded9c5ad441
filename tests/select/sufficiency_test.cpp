#include "select/sufficiency.hpp"

#include <gtest/gtest.h>

#include "select/small_dataset.hpp"

namespace macmi::select {
namespace {

using testing::dataset_of;
using testing::labels;
using testing::numbers;

/// Over all pairs; the error by leaving out one sample after the other (a jackknife of the difference).
TEST(Sufficiency, AreasAreThoseOfAllPairs) {
  base::RandomStream random(base::StreamKey(1));
  const std::size_t n = 300;
  std::vector<double> first(n), second(n);
  std::vector<bool> positive(n);
  for (std::size_t i = 0; i < n; ++i) {
    positive[i] = random.uniform() < 0.4;
    first[i] = std::round(2 * (random.normal() + positive[i]));  // with ties
    second[i] = random.normal() + 0.5 * positive[i];
  }
  const auto area = [&](const std::vector<double>& score, std::size_t without) {
    double right = 0, pairs = 0;
    for (std::size_t p = 0; p < n; ++p)
      for (std::size_t q = 0; q < n; ++q)
        if (positive[p] && !positive[q] && p != without && q != without)
          right += score[p] > score[q] ? 1 : score[p] == score[q] ? 0.5 : 0, ++pairs;
    return right / pairs;
  };
  const ComparedAreas areas = compare_areas(first, second, positive);
  EXPECT_NEAR(areas.first, area(first, n), 1e-12);
  EXPECT_NEAR(areas.second, area(second, n), 1e-12);
  const double whole = areas.first - areas.second;
  double squares = 0;
  for (std::size_t i = 0; i < n; ++i) squares += std::pow(area(first, i) - area(second, i) - whole, 2);
  EXPECT_NEAR(areas.error, std::sqrt(squares), 0.05 * areas.error);
}

/// y depends on a, b and on c² ; d follows a; e and f are noise.
Dataset some_table(std::uint64_t seed, bool classes) {
  base::RandomStream random(base::StreamKey(seed).with("sufficiency"));
  const std::size_t n = 600;
  std::vector<std::vector<double>> x(6, std::vector<double>(n));
  std::vector<double> y(n);
  std::vector<std::int32_t> code(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto& column : x) column[i] = random.normal();
    x[3][i] += x[0][i];
    const double mean = 0.8 * x[0][i] + 0.6 * x[1][i] + 0.4 * (x[2][i] * x[2][i] - 1);
    y[i] = mean + random.normal();
    code[i] = random.uniform() < 1 / (1 + std::exp(-2 * mean));
  }
  std::vector<DataColumn> columns;
  for (std::size_t c = 0; c < 6; ++c) columns.push_back(numbers(std::string(1, static_cast<char>('a' + c)), x[c]));
  columns.push_back(classes ? labels("y", code) : numbers("y", y));
  return dataset_of(columns);
}

Sufficiency of(const Dataset& data, const std::vector<std::string>& members) {
  Selection selection;
  selection.blanket.members = members;
  for (const Feature& f : data.features) {
    selection.blanket.features.emplace_back().name = f.name;
    if (std::count(members.begin(), members.end(), f.name)) selection.blanket.features.back().role = Role::adjacent;
  }
  return measure_sufficiency(data, selection, 1);
}

TEST(Sufficiency, NoticesAMissingMemberAndDoesNotAccuseARightSelection) {
  for (const bool classes : {false, true}) {
    int accused = 0, noticed = 0;
    for (std::uint64_t seed = 1; seed <= 6; ++seed) {
      const Dataset data = some_table(seed, classes);
      const Sufficiency right = of(data, {"a", "b", "c"}), wrong = of(data, {"a", "c"});
      EXPECT_EQ(right.measure, classes ? "AUC" : right.measure);
      accused += !right.enough, noticed += !wrong.enough;
      EXPECT_LT(wrong.of_selected, wrong.of_all);
      EXPECT_LE(right.low, right.of_selected - right.of_all);
      EXPECT_GE(right.high, right.of_selected - right.of_all);
    }
    EXPECT_LE(accused, 1) << classes;  // each is accused by chance once in 40 times
    EXPECT_GE(noticed, 5) << classes;
  }
}

TEST(Sufficiency, OfNothingSelectedIsComparedWithAConstant) {
  const Sufficiency nothing = of(some_table(1, true), {});
  EXPECT_FALSE(nothing.enough);
  EXPECT_NEAR(nothing.of_selected, 0.5, 0.1);
}

TEST(Sufficiency, SaysWhyItWasNotAsked) {
  Dataset data = some_table(1, false);
  data.features[0].steps = 2;
  data.features[0].columns.push_back(data.features[0].columns[0]);
  EXPECT_NE(of(data, {"b"}).remark.find("macmi evaluate"), std::string::npos);
}

}  // namespace
}  // namespace macmi::select
