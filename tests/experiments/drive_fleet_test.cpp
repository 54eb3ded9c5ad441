// The simulated fleet is as hard as it says: what a method must not get away with.
#include "experiments/simulations/drive_fleet.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <numeric>

namespace macmi::experiments {
namespace {

/// Area under the ROC curve by its definition: the share of (failing, healthy) pairs in the right order, ties half.
double auc(const std::vector<double>& score, const std::vector<int>& fails) {
  std::vector<std::size_t> order(score.size());
  std::iota(order.begin(), order.end(), std::size_t{0});
  std::sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return score[a] < score[b]; });
  double below = 0, right = 0, failing = 0;
  for (std::size_t i = 0; i < order.size();) {
    std::size_t end = i;
    double tied_failing = 0, tied_healthy = 0;
    for (; end < order.size() && score[order[end]] == score[order[i]]; ++end)
      (fails[order[end]] ? tied_failing : tied_healthy) += 1;
    right += tied_failing * (below + tied_healthy / 2);
    failing += tied_failing;
    below += tied_healthy;
    i = end;
  }
  return right / (failing * below);
}

/// The trend as someone who knows the mechanism reads it: the last days against the first, of the daily change for what
/// grows and of the level for what does not.
double trend(const double* series, std::size_t days, bool counter) {
  const auto mean = [&](std::size_t from, std::size_t to) {
    double sum = 0;
    for (std::size_t t = from; t < to; ++t) sum += counter ? series[t] - series[t - 1] : series[t];
    return sum / static_cast<double>(to - from);
  };
  const double early = mean(1, days / 2), late = mean(days - days / 4, days);
  return counter ? std::log1p(late) - std::log1p(early) : late - early;
}

class FleetTest : public testing::Test {
 protected:
  static void SetUpTestSuite() { fleet_ = new DriveFleet(simulate_fleet({.drives = 3000, .seed = 1})); }
  static void TearDownTestSuite() { delete fleet_; }
  static std::size_t index(const std::string& name) {
    return static_cast<std::size_t>(std::find(fleet_->names.begin(), fleet_->names.end(), name) -
                                    fleet_->names.begin());
  }
  static std::vector<double> on_day(std::size_t feature, std::size_t day) {
    std::vector<double> values;
    for (std::size_t i = 0; i < fleet_->drives; ++i) values.push_back(fleet_->series[feature][i * fleet_->days + day]);
    return values;
  }
  static double distance_from_half(double value) { return 0.5 + std::abs(value - 0.5); }
  static double trend_auc(std::size_t feature) {
    std::vector<double> as_counter, as_level;
    for (std::size_t i = 0; i < fleet_->drives; ++i) {
      const double* series = fleet_->series[feature].data() + i * fleet_->days;
      const bool grows = std::is_sorted(series, series + fleet_->days);
      as_counter.push_back(grows ? trend(series, fleet_->days, true) : 0);
      as_level.push_back(trend(series, fleet_->days, false));
    }
    return std::max(distance_from_half(auc(as_counter, fleet_->fails)),
                    distance_from_half(auc(as_level, fleet_->fails)));
  }
  static DriveFleet* fleet_;
};
DriveFleet* FleetTest::fleet_ = nullptr;

// ctest label of all long: simulates thousands of drives
TEST_F(FleetTest, AQuarterFails) {
  const double share = static_cast<double>(std::accumulate(fleet_->fails.begin(), fleet_->fails.end(), 0)) / 3000;
  EXPECT_NEAR(share, 0.25, 3 * std::sqrt(0.25 * 0.75 / 3000));  // three standard errors
  EXPECT_EQ(fleet_->names.size(), 36u);
  EXPECT_EQ(fleet_->causes.size(), 7u);
}

TEST_F(FleetTest, NoSingleDayTellsMuchButTrendsDo) {
  for (const std::string& cause : fleet_->causes) {
    double best = 0;
    for (std::size_t day = 0; day < fleet_->days; ++day)
      best = std::max(best, distance_from_half(auc(on_day(index(cause), day), fleet_->fails)));
    EXPECT_LT(best, 0.65) << cause;
    EXPECT_GT(trend_auc(index(cause)), 0.557) << cause;  // five standard errors above one half
    RecordProperty(cause, std::to_string(best) + " " + std::to_string(trend_auc(index(cause))));
  }
}

TEST_F(FleetTest, TheStrongestMarginalFeaturesAreTheWrongOnes) {
  std::vector<std::pair<double, std::string>> ranked;
  for (std::size_t f = 0; f < fleet_->names.size(); ++f) {
    if (representative(fleet_->names[f]) != fleet_->names[f]) continue;  // exact duplicates once
    ranked.emplace_back(-trend_auc(f), fleet_->names[f]);
  }
  std::sort(ranked.begin(), ranked.end());
  std::vector<std::string> strongest;
  for (std::size_t r = 0; r < 7; ++r) strongest.push_back(ranked[r].second);
  EXPECT_LE(cause_f1(strongest, fleet_->causes), 0.6) << testing::PrintToString(strongest);
}

TEST_F(FleetTest, HasDuplicatesConstantsAndZeros) {
  const Dataset data = fleet_dataset(*fleet_);
  auto duplicates = data.health.duplicates;
  for (auto& group : duplicates) std::sort(group.begin(), group.end());
  std::sort(duplicates.begin(), duplicates.end());
  EXPECT_EQ(duplicates, (std::vector<std::vector<std::string>>{
                            {"airflow_temperature_raw", "temperature_raw"},
                            {"current_pending_sectors_normalized", "offline_uncorrectable_sectors"},
                            {"power_cycles", "start_stop_count_raw"}}));
  EXPECT_EQ(data.health.constant.size(), 2u);
  const std::vector<double> uncorrectable = on_day(index("reported_uncorrectable_errors_raw"), 40);
  EXPECT_GT(std::count(uncorrectable.begin(), uncorrectable.end(), 0), 1500);
  EXPECT_TRUE(data.target_is_categorical());
  EXPECT_EQ(data.samples(), 3000u);
}

TEST_F(FleetTest, SmallerFleetsAreTheBeginningOfLargerOnes) {
  const DriveFleet small = simulate_fleet({.drives = 20, .seed = 1});
  EXPECT_TRUE(std::equal(small.fails.begin(), small.fails.end(), fleet_->fails.begin()));
  EXPECT_TRUE(std::equal(small.series[3].begin(), small.series[3].end(), fleet_->series[3].begin()));
  const DriveFleet other = simulate_fleet({.drives = 20, .seed = 2});
  EXPECT_NE(small.series[3], other.series[3]);
  const DriveFleet wide = simulate_fleet({.drives = 5, .days = 12, .features = 72, .seed = 1});
  EXPECT_EQ(wide.names.size(), 72u);
  EXPECT_EQ(wide.names[36], "current_pending_sectors_raw_2");
}

TEST(CauseF1, CountsExactDuplicatesAsOne) {
  const std::vector<std::string> causes = {"temperature_raw", "seek_count"};
  EXPECT_DOUBLE_EQ(cause_f1({"airflow_temperature_raw", "seek_count"}, causes), 1);
  EXPECT_DOUBLE_EQ(cause_f1({"airflow_temperature_raw", "temperature_raw"}, causes), 2.0 / 3);
  EXPECT_DOUBLE_EQ(cause_f1({"crc_errors"}, causes), 0);
  EXPECT_DOUBLE_EQ(cause_f1({}, causes), 0);
}

}  // namespace
}  // namespace macmi::experiments
