#include "macmi/stability.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <map>
#include <set>

#include "macmi/error.hpp"
#include "macmi/select.hpp"
#include "select/small_dataset.hpp"

namespace macmi::select {
namespace {

using testing::curved_network;
using testing::dataset_of;

TEST(Stability, SubsamplesHaveTheirSizeAndNoSampleTwice) {
  for (std::uint64_t b = 0; b < 20; ++b) {
    const std::vector<std::size_t> rows = subsample_rows(101, {}, 0.5, 7, b);
    EXPECT_EQ(rows.size(), 51u);  // half, rounded
    EXPECT_TRUE(std::is_sorted(rows.begin(), rows.end()));
    EXPECT_EQ(std::set<std::size_t>(rows.begin(), rows.end()).size(), rows.size());
    EXPECT_LT(rows.back(), 101u);
    EXPECT_EQ(rows, subsample_rows(101, {}, 0.5, 7, b));
    EXPECT_NE(rows, subsample_rows(101, {}, 0.5, 7, b + 1));
    EXPECT_NE(rows, subsample_rows(101, {}, 0.5, 8, b));
  }
}

TEST(Stability, UnitsAreDrawnWholeAndSeriesInOneStretch) {
  std::vector<std::int32_t> units(120), classes(120);
  for (std::size_t i = 0; i < 120; ++i)
    units[i] = static_cast<std::int32_t>(i % 30), classes[i] = i % 30 < 6 ? 1 : 0;  // 30 units of 4 rows, not together
  for (std::uint64_t b = 0; b < 20; ++b) {
    std::map<std::int32_t, std::size_t> rows_of, of_class;
    for (const std::size_t row : subsample_rows(120, classes, 0.5, 3, b, units))
      ++rows_of[units[row]], ++of_class[classes[row]];
    EXPECT_EQ(rows_of.size(), 15u);
    for (const auto& [unit, rows] : rows_of) EXPECT_EQ(rows, 4u) << unit;
    EXPECT_EQ(of_class[1], 12u);
    const std::vector<std::size_t> stretch = stretch_of_rows(101, 0.5, 3, b);
    EXPECT_EQ(stretch.size(), 51u);
    EXPECT_EQ(stretch.back() - stretch.front(), 50u);
    EXPECT_LT(stretch.back(), 101u);
  }
  EXPECT_NE(stretch_of_rows(101, 0.5, 3, 0), stretch_of_rows(101, 0.5, 3, 1));
}

TEST(Stability, EverySampleIsDrawnEquallyOften) {
  std::vector<std::size_t> times(40, 0);
  constexpr std::size_t draws = 2000;
  for (std::uint64_t b = 0; b < draws; ++b)
    for (const std::size_t row : subsample_rows(40, {}, 0.25, 1, b)) ++times[row];
  // Binomial(2000, 1/4): standard deviation 19.4; five of them for 40 samples.
  for (const std::size_t t : times) EXPECT_NEAR(static_cast<double>(t), 500, 97);
}

TEST(Stability, EveryClassKeepsItsShareAndAtLeastOneSample) {
  std::vector<std::int32_t> classes(100, 0);
  for (std::size_t i = 0; i < 20; ++i) classes[i * 5] = 1;
  classes[99] = 2;
  for (std::uint64_t b = 0; b < 10; ++b) {
    std::vector<std::size_t> counts(3, 0);
    for (const std::size_t row : subsample_rows(100, classes, 0.5, 3, b))
      ++counts[static_cast<std::size_t>(classes[row])];
    EXPECT_EQ(counts, (std::vector<std::size_t>{40, 10, 1}));  // 79 halved is 39.5, rounded to 40
  }
}

SelectOptions quick() {
  SelectOptions options;
  options.method = Method::fisherz;
  options.search.delta = 2;
  options.stability.subsamples = 12;
  return options;
}

/// The definition: search each subsample on its own and count.
TEST(Stability, FrequenciesAreCountsOfSearchesOnTheSubsamples) {
  const Dataset data = dataset_of(curved_network(90, 4));
  SelectOptions options = quick();
  const Selection found = select_features(data, options);
  ASSERT_TRUE(found.stability);
  options.stability.subsamples = 0;
  EXPECT_FALSE(select_features(data, options).stability);
  std::map<std::string, std::size_t> counts;
  for (std::uint64_t b = 0; b < 12; ++b)
    for (const std::string& name :
         select_features(take_samples(data, subsample_rows(90, {}, 0.5, 0, b)), options).blanket.members)
      ++counts[name];
  bool some_in_between = false;
  for (std::size_t f = 0; f < found.blanket.features.size(); ++f) {
    const std::string& name = found.blanket.features[f].name;
    EXPECT_EQ(found.stability->features[f], name);
    EXPECT_EQ(found.stability->selected_in[f], counts[name]) << name;
    EXPECT_EQ(found.stability->frequency(name), static_cast<double>(counts[name]) / 12);
    some_in_between = some_in_between || (counts[name] > 0 && counts[name] < 12);
  }
  EXPECT_TRUE(some_in_between);  // otherwise the counts could be right by accident
}

// ctest label threads: one thread against several
TEST(Stability, SameForAnyNumberOfThreads) {
  const Dataset data = dataset_of(curved_network(90, 5));
  SelectOptions options = quick();
  options.test.threads = 1;
  const auto expected = select_features(data, options).stability->selected_in;
  for (const std::uint64_t threads : {2, 4}) {
    options.test.threads = threads;
    EXPECT_EQ(select_features(data, options).stability->selected_in, expected) << threads;
  }
}

TEST(Stability, CanBeInterrupted) {
  const Dataset data = dataset_of(curved_network(90, 6));
  SearchHooks hooks;
  hooks.on_progress = [](const SearchProgress& p) { return p.stage.find("stability") == std::string::npos; };
  EXPECT_THROW(select_features(data, quick(), hooks), Cancelled);
}

TEST(Stability, SubsamplesTooSmallToTestAreRefused) {
  SelectOptions options = quick();
  options.stability.share = 0.1;
  EXPECT_THROW(select_features(dataset_of(curved_network(90, 7)), options), InputError);
}

TEST(Stability, WhoTakesThePlaceOfAMember) {
  // b is there where a is not; c comes and goes for itself; d is a member.
  const std::vector<std::vector<std::string>> selected{{"a", "d"}, {"b", "c", "d"}, {"a", "c", "d"},
                                                       {"b", "d"}, {"a", "d"},      {"d"}};
  EXPECT_EQ(taking_the_place_of("a", {"a", "d"}, selected), std::vector<std::string>{"b"});
  EXPECT_TRUE(taking_the_place_of("d", {"a", "d"}, selected).empty());
}

using testing::numbers;

/// y = 2 cause + common + noise. `one` and `two` are two readings of `common`, correlated by 0.98: whoever of them is
/// known, the other adds 0.005 nats, too little for 400 samples. `noise` tells nothing.
Dataset two_readings(std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("two readings"));
  const std::size_t n = 400;
  std::vector<double> cause(n), one(n), two(n), noise(n), y(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double common = random.normal();
    cause[i] = random.normal(), noise[i] = random.normal();
    one[i] = common + 0.14 * random.normal(), two[i] = common + 0.14 * random.normal();
    y[i] = 2 * cause[i] + common + random.normal();
  }
  return dataset_of(
      {numbers("cause", cause), numbers("noise", noise), numbers("one", one), numbers("two", two), numbers("y", y)});
}

SelectOptions by(Method method) {
  SelectOptions options;
  options.method = method;
  return options;
}

TEST(LightStability, AStrongMemberStaysAndTwoReadingsTakeTurns) {
  for (const Method method : {Method::fisherz, Method::knn}) {
    SCOPED_TRACE(text(method));
    std::size_t exchanged = 0;
    const std::uint64_t tables = method == Method::knn ? 4 : 8;
    for (std::uint64_t seed = 0; seed < tables; ++seed) {
      const Selection found = select_features(two_readings(seed), by(method));
      ASSERT_TRUE(found.stability);
      EXPECT_TRUE(found.stability->light);
      EXPECT_EQ(found.stability->subsamples, 10u);
      const std::vector<std::size_t>& in = found.stability->selected_in;  // of cause, noise, one, two
      EXPECT_EQ(in[0], 10u);
      EXPECT_LE(in[1], 5u);           // halves share what chance put into all samples
      EXPECT_GE(in[2] + in[3], 10u);  // one of them is always there,
      EXPECT_LE(in[2] + in[3], 12u);  // hardly ever both
      ASSERT_EQ(found.blanket.members.size(), 2u);
      const bool first = found.blanket.members[1] == "one";
      const auto& others = found.stability->exchanged_for[first ? 2 : 3];
      if (in[first ? 3 : 2] < 2) continue;  // once may be anything
      EXPECT_EQ(others, std::vector<std::string>{first ? "two" : "one"});
      ++exchanged;
    }
    // The reading with more luck in all samples wins on three of four halves in the mean, and on all in many tables.
    EXPECT_GE(4 * exchanged, tables);
  }
}

TEST(LightStability, SameForAnyNumberOfThreadsAndOrderOfColumns) {
  const Dataset data = two_readings(1);
  SelectOptions options = by(Method::knn);
  options.test.threads = 1;
  const Stability expected = *select_features(data, options).stability;
  Dataset turned = data;
  std::reverse(turned.features.begin(), turned.features.end());
  for (const Dataset* table : {&data, static_cast<const Dataset*>(&turned)}) {
    options.test.threads = 3;
    const Stability found = *select_features(*table, options).stability;
    EXPECT_EQ(found.selected_in, expected.selected_in);
    EXPECT_EQ(found.exchanged_for, expected.exchanged_for);
  }
}

TEST(LightStability, IsLeftOutWhereItIsNotAskedOrCannotBe) {
  const Dataset data = two_readings(2);
  const auto asked = [&](const std::function<void(SelectOptions&)>& change, const Dataset& table) {
    SelectOptions options = by(Method::fisherz);
    change(options);
    return select_features(table, options).stability.has_value();
  };
  EXPECT_TRUE(asked([](SelectOptions&) {}, data));
  EXPECT_FALSE(asked([](SelectOptions& o) { o.stability.subsamples = 0; }, data));
  EXPECT_FALSE(asked([](SelectOptions& o) { o.no_evidence = true; }, data));
  EXPECT_FALSE(asked([](SelectOptions& o) { o.search.no_children = true; }, data));
  EXPECT_FALSE(asked([](SelectOptions& o) { o.search.search = SearchProcedure::paper; }, data));
  EXPECT_FALSE(asked([](SelectOptions& o) { o.search.max_tests = 3; }, data));
  EXPECT_FALSE(asked([](SelectOptions&) {}, take_samples(data, subsample_rows(400, {}, 0.2, 1, 1))));
}

}  // namespace
}  // namespace macmi::select
