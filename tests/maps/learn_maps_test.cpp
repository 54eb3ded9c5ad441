// Learning as the rest of the program sees it.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "macmi/error.hpp"
#include "map_data.hpp"

namespace macmi::maps {
namespace {

using testing::all_values;
using testing::mixed;
using testing::quick;
using testing::rings;

// ctest label threads: one thread against several
TEST(LearnMaps, GivesTheSameBitsForAnyThreads) {
  const Dataset data = mixed(300, 0);
  MapsOptions options = quick();
  options.folds = 2;
  options.threads = 1;
  const LearnedMaps one = learn_maps(data, options);
  for (const std::size_t threads : {2, 4}) {
    options.threads = threads;
    const LearnedMaps many = learn_maps(data, options);
    EXPECT_EQ(all_values(one.mapped()), all_values(many.mapped()));
    EXPECT_EQ(one.folds(), many.folds());
    EXPECT_EQ(one.validation_gain(), many.validation_gain());
  }
}

TEST(LearnMaps, DoesNotDependOnTheOrderOfFeaturesAndColumns) {
  const Dataset data = mixed(200, 0);
  Dataset turned = data;
  std::reverse(turned.features.begin(), turned.features.end());
  for (Feature& f : turned.features)
    if (f.name == "vector") std::swap(f.columns[0], f.columns[1]);
  const LearnedMaps straight = learn_maps(data, quick()), reversed = learn_maps(turned, quick());
  for (const Feature& f : straight.mapped().features) {
    if (f.name == "labels") continue;
    const std::vector<double>&a = f.columns[0].values, &b = reversed.mapped().feature(f.name).columns[0].values;
    for (std::size_t i = 0; i < a.size(); ++i)
      EXPECT_TRUE(a[i] == b[i] || (std::isnan(a[i]) && std::isnan(b[i]))) << f.name << " " << i;
  }
}

TEST(LearnMaps, TakesEveryTargetAndLeavesUnknownValuesUnknown) {
  for (const std::size_t classes : {0, 2, 3}) {
    const Dataset data = mixed(400, classes);
    MapsOptions options = quick();
    options.epochs = 40;
    options.restarts = 1;
    const LearnedMaps learned = learn_maps(data, options);
    const Dataset& mapped = learned.mapped();
    EXPECT_EQ(mapped.feature("vector").columns.size(), classes == 3 ? 2 : 1);
    EXPECT_EQ(mapped.feature("number").columns[0].values, data.feature("number").columns[0].values);
    for (std::size_t i = 0; i < 400; ++i) {
      EXPECT_EQ(std::isnan(mapped.feature("vector").columns[0].values[i]), i % 50 == 0);
      EXPECT_FALSE(std::isnan(mapped.feature("series").columns[0].values[i]));  // a missing step is passed over
    }
    EXPECT_GT(learned.validation_gain(), 0.05) << classes;
    const std::size_t vector = data.feature_index("vector"), number = data.feature_index("number"),
                      series = data.feature_index("series");
    const auto gains = learned.gains({{vector, {}}, {vector, {series}}, {number, {series, vector}}});
    EXPECT_GT(gains[0].gain, gains[0].error) << classes;
    EXPECT_GT(gains[1].gain, gains[1].error) << classes;
    EXPECT_LT(gains[2].gain, 4 * gains[2].error + 0.02) << classes;  // pure noise helps nobody
  }
}

TEST(LearnMaps, TakesFewEpochsAndManyRestarts) {  // rounds that end at the same epoch
  MapsOptions options = quick();
  options.epochs = 2;
  options.restarts = 5;
  EXPECT_TRUE(std::isfinite(learn_maps(mixed(100, 0), options).validation_gain()));
}

/// Tests see ties: equal samples have bit-equal maps.
TEST(LearnMaps, MapsEqualSamplesToEqualBits) {
  Dataset data = rings(200, 1, 1);
  for (DataColumn& c : data.features[0].columns)
    for (std::size_t i = 0; i < 200; ++i) c.values[i] = c.values[i % 37];
  const LearnedMaps learned = learn_maps(data, quick());
  const std::vector<double>& map = learned.mapped().features[0].columns[0].values;
  for (std::size_t i = 37; i < 200; ++i) EXPECT_EQ(map[i], map[i % 37]);
}

TEST(LearnMaps, SaysThatNoiseHasNothingToTell) {
  base::RandomStream random(base::StreamKey(8));
  Dataset data = rings(600, 1, 1);
  for (double& y : data.target.columns[0].values) y = random.normal();
  MapsOptions options = quick();
  options.epochs = 40;
  const LearnedMaps learned = learn_maps(data, options);
  EXPECT_LT(learned.validation_gain(), 0.05);
  EXPECT_FALSE(learned.notes().empty());
}

TEST(LearnMaps, RefusesWhatItCannotLearn) {
  const auto refusal = [](const Dataset& data, const MapsOptions& options) -> std::string {
    try {
      learn_maps(data, options);
    } catch (const InputError& error) {
      return error.what();
    }
    return {};
  };
  EXPECT_NE(refusal(rings(59, 1, 1), quick()).find("too few"), std::string::npos);
  MapsOptions none = quick();
  none.kind = MapKind::none;
  EXPECT_NE(refusal(rings(100, 1, 1), none).find("no map to learn"), std::string::npos);
  Dataset without_target = rings(100, 1, 1);
  without_target.target = {};
  EXPECT_NE(refusal(without_target, quick()).find("--target"), std::string::npos);
}

TEST(LearnMaps, TellsOfDivergence) {
  MapsOptions options = quick();
  options.learning_rate = 1e38;
  std::vector<std::string> notes;
  MapsHooks hooks;
  hooks.on_note = [&](const std::string& note) { notes.push_back(note); };
  EXPECT_THROW(learn_maps(mixed(100, 0), options, hooks), Error);
  ASSERT_EQ(notes.size(), 3U);
  EXPECT_NE(notes[0].find("diverged"), std::string::npos) << notes[0];
}

TEST(LearnMaps, SmallSamplesAndSeriesAreTestedOnMapsThatHaveNotSeenThem) {
  MapsOptions options;
  options.epochs = options.restarts = 1;
  EXPECT_EQ(learn_maps(rings(3999, 4, 1), options).folds().size(), 3999U);
  Dataset data = rings(4000, 4, 1);
  EXPECT_TRUE(learn_maps(data, options).folds().empty());
  data.features[0].steps = 2, data.features[0].channels = 1;  // the same numbers as a series
  EXPECT_EQ(learn_maps(data, options).folds().size(), 4000U);
  options.folds = 1;
  EXPECT_TRUE(learn_maps(data, options).folds().empty()) << "whoever asks for the same samples gets them";
}

}  // namespace
}  // namespace macmi::maps
