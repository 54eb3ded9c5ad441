#include "macmi/stability.hpp"

#include <gtest/gtest.h>

#include <algorithm>
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

}  // namespace
}  // namespace macmi::select
