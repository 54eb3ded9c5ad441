#include "macmi/select.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "citest/fisher_z.hpp"
#include "macmi/error.hpp"
#include "macmi/report.hpp"
#include "select/dataset_test.hpp"
#include "select/small_dataset.hpp"

namespace macmi::select {
namespace {

using testing::curved_network;
using testing::dataset_of;
using testing::numbers;

SelectOptions quick(Method method = Method::knn) {
  SelectOptions options;
  options.method = method;
  options.search.delta = 1;
  options.test.permutations = 128;
  options.test.threads = 1;
  return options;
}

std::string without_timing(const Selection& selection) {
  return selection_json(selection, {});
}

/// t = a² + 1.5 cos 2b + noise, e = |a| + noise: clear to the eye, and without correlation.
TEST(Select, FindsCausesThatCorrelationDoesNotSee) {
  std::vector<DataColumn> columns = curved_network(400, 1);
  std::erase_if(columns, [](const DataColumn& column) { return column.name == "c" || column.name == "d"; });
  const Dataset data = dataset_of(columns);
  const Selection found = select_features(data, quick());
  EXPECT_EQ(found.blanket.members, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(found.blanket.features[2].separating_set, (std::vector<std::string>{"a"}));
  const auto linear = select_features(data, quick(Method::fisherz)).blanket.members;
  EXPECT_EQ(std::count(linear.begin(), linear.end(), "b"), 0);
}

// ctest label threads: one thread against several
TEST(Select, SameBitsForAnyColumnOrderAndNumberOfThreads) {
  for (const Method method : {Method::knn, Method::fisherz}) {
    const std::vector<DataColumn> columns = curved_network(120, 2);
    const std::string expected = without_timing(select_features(dataset_of(columns), quick(method)));
    base::RandomStream random(base::StreamKey(5));
    for (const std::uint64_t threads : {1, 2, 4}) {
      std::vector<DataColumn> shuffled = columns;
      for (std::size_t i = shuffled.size() - 1; i > 1; --i) std::swap(shuffled[i - 1], shuffled[random.below(i)]);
      SelectOptions options = quick(method);
      options.test.threads = threads;
      EXPECT_EQ(without_timing(select_features(dataset_of(shuffled), options)), expected) << threads;
    }
  }
}

/// The same data under names that sort the other way round, then the names put back.
TEST(Select, SameBitsForRenamedColumns) {
  const std::map<std::string, std::string> renamed = {{"a", "z1"}, {"b", "y2"},    {"c", "x3"},    {"d", "w4"},
                                                      {"e", "v5"}, {"noise", "A"}, {"t", "target"}};
  const auto back = [&](const std::string& name) {
    for (const auto& [from, to] : renamed)
      if (to == name) return from;
    return name;
  };
  for (const Method method : {Method::knn, Method::fisherz}) {
    std::vector<DataColumn> columns = curved_network(120, 3);
    Selection expected = select_features(dataset_of(columns), quick(method));
    for (DataColumn& column : columns) column.name = renamed.at(column.name);
    Selection found = select_features(dataset_of(columns), quick(method));
    const auto all_back = [&](std::vector<std::string>& names) {
      for (std::string& name : names) name = back(name);
      std::sort(names.begin(), names.end());
    };
    found.target.name = back(found.target.name);
    all_back(found.blanket.members);
    for (std::string& name : found.sufficiency->next) name = back(name);
    for (FeatureVerdict& f : found.blanket.features) {
      f.name = back(f.name);
      all_back(f.separating_set);
      all_back(f.interchangeable);
      if (f.deciding) all_back(f.deciding->given);
      if (f.measured) all_back(f.measured->given);
      for (Evidence& e : f.near_misses) all_back(e.given);
    }
    Stability stability = *found.stability;
    for (std::size_t f = 0; f < stability.features.size(); ++f) {
      const std::string name = back(stability.features[f]);
      const auto& sorted = expected.stability->features;
      const auto place = static_cast<std::size_t>(std::find(sorted.begin(), sorted.end(), name) - sorted.begin());
      found.stability->features[place] = name;
      found.stability->selected_in[place] = stability.selected_in[f];
      found.stability->exchanged_for[place] = stability.exchanged_for[f];
      all_back(found.stability->exchanged_for[place]);
    }
    for (UsedTest& test : found.blanket.log) {
      test.feature = back(test.feature);
      all_back(test.evidence.given);
    }
    // Within a feature the order of tests is that of effects; between features of one screen it is that of names.
    for (Selection* s : {&found, &expected})
      std::stable_sort(s->blanket.log.begin(), s->blanket.log.end(),
                       [](const auto& x, const auto& y) { return x.feature < y.feature; });
    std::sort(found.blanket.features.begin(), found.blanket.features.end(),
              [](const auto& x, const auto& y) { return x.name < y.name; });
    EXPECT_EQ(without_timing(found), without_timing(expected));
  }
}

TEST(Select, MembersOfAConditioningSetInLargeUnitsDoNotDrownTheOthers) {
  // x and t depend through a alone. In one block with b, a million times larger, a would hardly count.
  base::RandomStream random(base::StreamKey(7));
  const std::size_t n = 400;
  std::vector<double> a(n), b(n), x(n), t(n);
  for (std::size_t i = 0; i < n; ++i)
    a[i] = random.normal(), b[i] = 1e6 * random.normal(), x[i] = a[i] + 0.3 * random.normal(),
    t[i] = a[i] + 0.3 * random.normal();
  const Dataset data = dataset_of({numbers("a", a), numbers("b", b), numbers("x", x), numbers("t", t)});
  const std::vector<std::size_t> both{0, 1};
  EXPECT_GT(make_selection_test(data, quick())->test(2, both).p_value, 0.05);
}

TEST(Select, EachTestUsesTheSamplesCompleteForItAndSaysHowMany) {
  std::vector<DataColumn> columns = curved_network(200, 4);
  for (std::size_t i = 0; i < 30; ++i) columns[0].values[i] = std::nan("");
  for (std::size_t i = 20; i < 70; ++i) columns[1].values[i] = std::nan("");
  const Dataset data = dataset_of(columns);
  const auto test = make_selection_test(data, quick(Method::fisherz));
  const std::vector<std::size_t> none, a{0};
  EXPECT_EQ(test->test(2, none).n, 200u);
  EXPECT_EQ(test->test(0, none).n, 170u);
  const CiResult both = test->test(1, a);
  EXPECT_EQ(both.n, 130u);
  const auto rows = [&](std::size_t column) {
    return std::vector<double>(columns[column].values.begin() + 70, columns[column].values.end());
  };
  const std::vector<double> xa = rows(0), xb = rows(1), y = rows(6);
  EXPECT_NEAR(both.p_value, citest::fisher_z(xb, y, xa).p_value, 1e-12);
  EXPECT_EQ(make_selection_test(data, quick())->test(1, a).n, 130u);
}

TEST(Select, ATestWithoutEnoughCompleteSamplesIsNotMade) {
  std::vector<DataColumn> columns = curved_network(100, 5);
  for (std::size_t i = 0; i < 91; ++i) columns[0].values[i] = std::nan("");
  for (std::size_t i = 40; i < 100; ++i) columns[1].values[i] = std::nan("");
  columns[4].values.assign(100, 2.5);
  for (std::size_t i = 0; i < 40; ++i) columns[5].values[i] = 1;
  const Dataset data = dataset_of(columns);
  const auto test = make_selection_test(data, quick());
  const std::vector<std::size_t> none, b{1}, constant{4};
  EXPECT_TRUE(std::isnan(test->test(0, none).p_value));
  EXPECT_TRUE(std::isnan(test->test(2, std::vector<std::size_t>{0}).p_value));
  EXPECT_TRUE(std::isnan(test->test(5, b).p_value));  // constant where b is present
  EXPECT_EQ(test->test(4, none).p_value, 1);          // constant everywhere
  EXPECT_EQ(test->test(2, constant).p_value, test->test(2, none).p_value);
  const Selection selection = select_features(data, quick());
  EXPECT_EQ(selection.blanket.features[0].role, Role::excluded);
  EXPECT_FALSE(explanation(selection, "a").empty());
}

TEST(Select, FdrResolvesSmallPValuesAndLeavesTheIndependentSoon) {
  const Dataset data = dataset_of(curved_network(100, 6));
  SelectOptions options = quick();
  options.test.permutations = 640;
  std::map<std::string, std::size_t> without;
  for (const FeatureVerdict& f : select_features(data, options).blanket.features)
    without[f.name] = f.marginal->permutations;
  options.search.fdr = 0.001;
  std::size_t below_counting = 0;
  for (const FeatureVerdict& f : select_features(data, options).blanket.features) {
    EXPECT_GE(f.marginal->permutations, without[f.name]) << f.name;
    if (f.marginal->p_value > 0.2) {
      EXPECT_EQ(f.marginal->permutations, 64u) << f.name;
    }
    below_counting += resolved_p(*f.marginal) < 1.0 / 641;
  }
  EXPECT_GT(below_counting, 0u);
}

TEST(Select, ShareOfTheTargetsUncertainty) {
  // Between Gaussians I = −½ ln(1 − r²): the share is r² again.
  EXPECT_NEAR(uncertainty_share({"y", false, 0, 0}, -0.5 * std::log(1 - 0.36)), 0.36, 1e-12);
  EXPECT_NEAR(uncertainty_share({"y", true, 4, std::log(4.0)}, std::log(2.0)), 0.5, 1e-12);
  EXPECT_EQ(uncertainty_share({"y", false, 0, 0}, -0.01), 0);
  EXPECT_EQ(uncertainty_share({"y", true, 2, 0.5}, 0.7), 1);
  std::vector<std::int32_t> codes(100);
  for (std::size_t i = 0; i < 100; ++i) codes[i] = i < 75 ? 0 : 1;
  std::vector<DataColumn> columns = curved_network(100, 7);
  columns.back() = testing::labels("class", codes);
  const Selection selection = select_features(dataset_of(columns), quick(Method::fisherz));
  EXPECT_NEAR(selection.target.entropy, -0.75 * std::log(0.75) - 0.25 * std::log(0.25), 1e-12);
}

TEST(Select, RefusesTooFewSamples) {
  EXPECT_THROW(select_features(dataset_of(curved_network(9, 8)), quick()), InputError);
}

TEST(Select, EveryOptionIsDeclaredOnce) {
  SelectOptions options;
  std::map<std::string, int> names;
  for (const Option& option : declare(options)) ++names[option.name];
  for (const auto& [name, times] : names) EXPECT_EQ(times, 1) << name;
  for (const char* name :
       {"delta", "alpha", "min-cmi", "k", "permutations", "neighbours", "z-weight", "stop", "no-children", "no-shrink",
        "must", "never", "fdr", "max-tests", "seed", "threads", "method"})
    EXPECT_EQ(names.count(name), 1u) << name;
}

}  // namespace
}  // namespace macmi::select
