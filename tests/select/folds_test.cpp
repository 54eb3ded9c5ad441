// Maps of different folds have different signs and scales: neither neighbours nor permuted values may cross.
#include <gtest/gtest.h>

#include <numeric>

#include "macmi/select.hpp"
#include "maps/training/splits.hpp"
#include "small_dataset.hpp"

namespace macmi::select {
namespace {

using testing::dataset_of;
using testing::labels;
using testing::numbers;

Dataset rows_of(const Dataset& data, const std::vector<std::int32_t>& folds, std::int32_t fold) {
  const auto pick = [&](const DataColumn& from) {
    std::vector<double> kept;
    for (std::size_t i = 0; i < folds.size(); ++i)
      if (folds[i] == fold) kept.push_back(from.values[i]);
    return numbers(from.name, kept);
  };
  std::vector<DataColumn> columns;
  for (const Feature& f : data.features) columns.push_back(pick(f.columns[0]));
  columns.push_back(pick(data.target.columns[0]));
  return dataset_of(std::move(columns));
}

SelectOptions options() {
  SelectOptions o;
  o.test.k = NeighbourCount(5);
  o.test.permutations = 128;
  o.test.stop = StopRule::never;
  o.test.threads = 1;
  return o;
}

/// y = x + noise and z = x + noise, but in the second fold the "map" of x has the other sign and ten times the scale.
struct Folded {
  Dataset data;
  std::vector<std::int32_t> folds;
};

Folded turned_maps() {
  constexpr std::size_t n = 300;
  base::RandomStream random(base::StreamKey(31));
  std::vector<double> x(n), z(n), y(n);
  Folded made;
  for (std::size_t i = 0; i < n; ++i) {
    const double value = random.normal();
    made.folds.push_back(static_cast<std::int32_t>(i % 2));
    x[i] = i % 2 ? -10 * value : value;
    z[i] = (value + random.normal()) * (i % 2 ? 3 : -1);
    y[i] = value + 0.3 * random.normal();
  }
  made.data = dataset_of({numbers("x", x), numbers("z", z), numbers("y", y)});
  return made;
}

TEST(Folds, StatisticIsTheMeanOfTheFoldsAlone) {
  const Folded f = turned_maps();
  const auto together = make_selection_test(f.data, options(), {}, f.folds);
  for (const std::vector<std::size_t>& given : {std::vector<std::size_t>{}, std::vector<std::size_t>{1}}) {
    double mean = 0;
    for (const std::int32_t fold : {0, 1}) {
      const Dataset part = rows_of(f.data, f.folds, fold);
      mean += 0.5 * make_selection_test(part, options())->test(0, given).statistic;
    }
    EXPECT_NEAR(together->test(0, given).statistic, mean, 1e-9) << given.size();
    // Had neighbours crossed, the two signs would have blurred the dependence.
    EXPECT_GT(together->test(0, given).statistic,
              make_selection_test(f.data, options())->test(0, given).statistic + 0.1)
        << given.size();
  }
}

TEST(Folds, HaveEqualSharesOfEveryClassAndWholeUnits) {
  std::vector<std::int32_t> classes;
  std::vector<double> x;
  for (std::size_t i = 0; i < 400; ++i) classes.push_back(i % 10 == 0), x.push_back(static_cast<double>(i));
  Dataset data = dataset_of({numbers("x", x), labels("y", classes)});
  const std::vector<std::int32_t> folds = maps::draw_folds(data, 4, 1);
  std::vector<std::vector<int>> count(4, std::vector<int>(2));
  for (std::size_t i = 0; i < 400; ++i)
    ++count[static_cast<std::size_t>(folds[i])][static_cast<std::size_t>(classes[i])];
  for (const auto& c : count) EXPECT_EQ(c, (std::vector<int>{90, 10}));
  for (std::size_t i = 0; i < 400; ++i) data.units.push_back("unit " + std::to_string(i / 10 / 4 * 4 + i % 4));
  const std::vector<std::int32_t> by_unit = maps::draw_folds(data, 4, 1);
  for (std::size_t i = 0; i < 400; ++i)
    for (std::size_t j = 0; j < i; ++j)
      if (data.units[i] == data.units[j]) {
        EXPECT_EQ(by_unit[i], by_unit[j]);
      }
}

TEST(Folds, TrainOnOtherSamplesThanTheyMap) {
  std::vector<double> x(200);
  std::iota(x.begin(), x.end(), 0.0);
  const Dataset data = dataset_of({numbers("x", x), numbers("y", x)});
  const std::vector<std::int32_t> folds = maps::draw_folds(data, 3, 2);
  std::vector<int> mapped(200, 0);
  for (const maps::ModelRows& rows : maps::split_rows(data, folds, 0.1, 2)) {
    std::vector<int> seen(200, 0);
    for (const std::int32_t i : rows.train) ++seen[static_cast<std::size_t>(i)];
    for (const std::int32_t i : rows.valid) ++seen[static_cast<std::size_t>(i)];
    for (const std::int32_t i : rows.apply) ++seen[static_cast<std::size_t>(i)], ++mapped[static_cast<std::size_t>(i)];
    EXPECT_EQ(seen, std::vector<int>(200, 1));
    EXPECT_NEAR(static_cast<double>(rows.valid.size()),
                0.1 * static_cast<double>(rows.valid.size() + rows.train.size()), 1);
  }
  EXPECT_EQ(mapped, std::vector<int>(200, 1));
}

}  // namespace
}  // namespace macmi::select
