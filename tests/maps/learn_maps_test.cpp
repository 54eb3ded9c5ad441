// Learning as the rest of the program sees it: through the process macmi-maps.
#include <gtest/gtest.h>
#include <unistd.h>

#include <algorithm>
#include <cmath>
#include <csignal>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <numeric>

#include "base/random.hpp"
#include "experiments/bullseye.hpp"
#include "learn/masks.hpp"
#include "learn/surrogate_scores.hpp"
#include "learn/worker_process.hpp"
#include "macmi/error.hpp"
#include "macmi/estimate.hpp"
#include "macmi/maps.hpp"
#include "macmi/select.hpp"
#include "select/packed_test.hpp"

namespace macmi {
namespace {

DataColumn column(const std::string& name, std::vector<double> values) {
  DataColumn made;
  made.name = name;
  made.values = std::move(values);
  return made;
}

Dataset rings(std::size_t n, std::uint64_t seed, std::size_t copies) {
  SimulatedTable table = bullseye2d(n, 0.3, seed);
  Dataset data;
  data.source = "rings";
  data.rows.resize(n);
  std::iota(data.rows.begin(), data.rows.end(), std::uint64_t{0});
  for (std::size_t c = 0; c < copies; ++c) {
    Feature& feature = data.features.emplace_back();
    feature.name = "x" + std::to_string(c + 1);
    feature.channels = 2;
    for (std::size_t d = 0; d < 2; ++d) feature.columns.push_back(column(table.names[d], table.columns[d]));
  }
  data.target.name = table.names[2];
  data.target.columns.push_back(column(table.names[2], table.columns[2]));
  return data;
}

/// A vector, a series with gaps, a number and labels; the target hangs on the first two.
Dataset mixed(std::size_t n, std::size_t classes) {
  RandomStream random(StreamKey(21).with("mixed"));
  Dataset data;
  data.source = "mixed";
  data.rows.resize(n);
  std::iota(data.rows.begin(), data.rows.end(), std::uint64_t{0});
  std::vector<std::vector<double>> v(2, std::vector<double>(n)), s(4, std::vector<double>(n));
  std::vector<double> number(n), y(n);
  DataColumn labels;
  for (std::size_t i = 0; i < n; ++i) {
    double level = 0;
    for (auto& c : v) c[i] = random.normal();
    for (auto& c : s) level += (c[i] = random.normal()) / 2;
    if (i % 7 == 0) s[1][i] = std::nan("");
    if (i % 50 == 0) v[1][i] = std::nan("");
    number[i] = random.normal();
    labels.codes.push_back(static_cast<std::int32_t>(random.below(3)));
    y[i] = v[0][i] + level + 0.2 * random.normal();
  }
  const auto add = [&](const std::string& name, std::vector<DataColumn> columns, std::size_t steps) {
    Feature& f = data.features.emplace_back();
    f.name = name;
    f.steps = steps;
    f.channels = columns.size() / steps;
    f.columns = std::move(columns);
  };
  labels.name = "labels";
  labels.type = ColumnType::categorical;
  labels.labels = {"a", "b", "c"};
  add("series", {column("s0", s[0]), column("s1", s[1]), column("s2", s[2]), column("s3", s[3])}, 4);
  add("number", {column("number", number)}, 1);
  add("vector", {column("v0", v[0]), column("v1", v[1])}, 1);
  add("labels", {labels}, 1);
  data.target.name = std::string(1, 'y');
  DataColumn target = column("y", y);
  if (classes > 0) {
    target.values.clear();
    target.type = ColumnType::categorical;
    for (const double value : y)
      target.codes.push_back(static_cast<std::int32_t>(value > 0) + (classes == 3 && value > 1));
    for (std::size_t c = 0; c < classes; ++c) target.labels.push_back(std::string(1, static_cast<char>('0' + c)));
  }
  data.target.columns.push_back(std::move(target));
  return data;
}

MapsOptions quick() {
  MapsOptions o;
  o.epochs = 6;
  o.restarts = 2;
  o.folds = 1;
  o.seed = 5;
  return o;
}

double information(const Dataset& mapped, std::size_t feature) {
  EstimateOptions options;
  options.k = NeighbourCount(5);
  return mutual_information(view(mapped.features[feature]), view(mapped.target), options);
}

Dataset radius_of(Dataset data) {
  Feature& f = data.features[0];
  for (std::size_t i = 0; i < data.samples(); ++i)
    f.columns[0].values[i] = std::hypot(f.columns[0].values[i], f.columns[1].values[i]);
  f.columns.resize(1);
  f.channels = 1;
  return data;
}

/// Section 3.1 of the paper: "Suppose X1 and X2 are identical copies …".
TEST(BlockDropout, KeepsTheInformationOfIdenticalFeaturesWhereTheNaiveMaskDoesNot) {
  const Dataset data = rings(1500, 3, 2);
  MapsOptions options;
  options.folds = 1;
  options.restarts = 1;
  options.epochs = 60;
  options.lambda = 0;  // the paper's argument is about the likelihood alone
  const LearnedMaps dropout = learn_maps(data, options);
  // What the same estimator says of the radius, all that X1 knows about Y: its bias, 3% here, is not the maps' fault.
  const double truth = information(radius_of(data), 0);
  const double first = information(dropout.mapped(), 0), second = information(dropout.mapped(), 1);
  EXPECT_NEAR(first / second, 1, 0.05);
  EXPECT_NEAR(first / truth, 1, 0.05);
  EXPECT_NEAR(second / truth, 1, 0.05);
  options.mask_rule = static_cast<int>(MaskRule::all_kept);
  const LearnedMaps naive = learn_maps(data, options);
  const double worst = std::min(information(naive.mapped(), 0), information(naive.mapped(), 1));
  std::printf("I(Y;X1) %.3f, block-dropout %.3f and %.3f, all-ones mask %.3f and %.3f\n", truth, first, second,
              information(naive.mapped(), 0), information(naive.mapped(), 1));
  EXPECT_LT(worst / truth, 0.9);
}

std::vector<double> all_values(const Dataset& data) {
  std::vector<double> values;
  for (const Feature& feature : data.features)
    for (const DataColumn& c : feature.columns)
      for (const double v : c.values) values.push_back(std::isnan(v) ? -1e300 : v);
  return values;
}

TEST(LearnMaps, GivesTheSameBitsForAnyThreads) {
  const Dataset data = mixed(300, 0);
  MapsOptions options = quick();
  options.folds = 2;
  options.threads = 1;
  const LearnedMaps one = learn_maps(data, options);
  options.threads = 4;
  const LearnedMaps four = learn_maps(data, options);
  EXPECT_EQ(all_values(one.mapped()), all_values(four.mapped()));
  EXPECT_EQ(one.folds(), four.folds());
  EXPECT_EQ(one.validation_gain(), four.validation_gain());
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

TEST(LearnMaps, MapsEqualSamplesToEqualBits) {
  Dataset data = rings(200, 1, 1);
  for (DataColumn& c : data.features[0].columns)
    for (std::size_t i = 0; i < 200; ++i) c.values[i] = c.values[i % 37];
  const LearnedMaps learned = learn_maps(data, quick());
  const std::vector<double>& map = learned.mapped().features[0].columns[0].values;
  for (std::size_t i = 37; i < 200; ++i) EXPECT_EQ(map[i], map[i % 37]);
}

TEST(LearnMaps, SaysThatNoiseHasNothingToTell) {
  RandomStream random(StreamKey(8));
  Dataset data = rings(600, 1, 1);
  for (double& y : data.target.columns[0].values) y = random.normal();
  MapsOptions options = quick();
  options.epochs = 40;
  const LearnedMaps learned = learn_maps(data, options);
  EXPECT_LT(learned.validation_gain(), 0.05);
  EXPECT_FALSE(learned.notes().empty());
}

/// A folder for checkpoints.
struct Folder {
  ScratchFolder scratch;
  std::string path = scratch.path() + "/checkpoints";
};

TEST(Checkpoints, AnInterruptedTrainingEndsWithTheSameBits) {
  const Dataset data = mixed(300, 2);
  MapsOptions options = quick();
  options.epochs = 12;
  const std::vector<double> whole = all_values(learn_maps(data, options).mapped());
  for (const std::size_t stop_at : {1, 5, 9}) {
    const Folder folder;
    MapsHooks hooks;
    hooks.folder = folder.path;
    hooks.on_progress = [&](const MapsProgress& p) { return p.epoch < stop_at; };
    EXPECT_THROW(learn_maps(data, options, hooks), Cancelled);
    hooks.on_progress = {};
    EXPECT_EQ(all_values(learn_maps(data, options, hooks).mapped()), whole) << "stopped at epoch " << stop_at;
  }
}

TEST(Checkpoints, OfOtherDataOrDamagedOnesAreNotUsed) {
  const Dataset data = mixed(200, 0);
  MapsOptions options = quick();
  const std::vector<double> whole = all_values(learn_maps(data, options).mapped());
  const Folder folder;
  MapsHooks hooks;
  hooks.folder = folder.path;
  options.seed = 6;
  learn_maps(data, options, hooks);
  options.seed = 5;
  EXPECT_EQ(all_values(learn_maps(data, options, hooks).mapped()), whole);
  for (const auto& entry : std::filesystem::directory_iterator(folder.path))
    if (entry.path().string().find("round") != std::string::npos)
      std::ofstream(entry.path(), std::ios::binary) << "nonsense";
  EXPECT_EQ(all_values(learn_maps(data, options, hooks).mapped()), whole);
}

TEST(Worker, KilledIsAnErrorNotAHang) {
  const Dataset data = mixed(300, 0);
  MapsOptions options = quick();
  options.epochs = 5000;
  bool killed = false;
  MapsHooks hooks;
  hooks.on_progress = [&](const MapsProgress& p) {
    if (p.epoch > 2 && !killed) {  // the worker is our only child
      for (const auto& entry : std::filesystem::directory_iterator("/proc")) {
        std::ifstream stat(entry.path() / "stat");
        std::string pid, name, state, parent;
        if (stat >> pid >> name >> state >> parent && parent == std::to_string(::getpid()))
          killed = ::kill(std::stoi(pid), SIGKILL) == 0;
      }
    }
    return true;
  };
  try {
    learn_maps(data, options, hooks);
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("signal 9"), std::string::npos) << error.what();
  }
  EXPECT_TRUE(killed);
}

TEST(Worker, MissingIsSaid) {
  ::setenv("MACMI_MAPS_PROGRAM", "/nonexistent/macmi-maps", 1);
  EXPECT_THROW(learn_maps(mixed(100, 0), quick()), InputError);
  ::unsetenv("MACMI_MAPS_PROGRAM");
}

TEST(ModelFile, MapsNewDataAsItMappedTheOld) {
  const Dataset data = mixed(250, 0);
  MapsOptions options = quick();
  options.epochs = 20;
  const LearnedMaps learned = learn_maps(data, options);
  const ScratchFolder scratch;
  learned.save(scratch.path() + "/m");
  const MapModelFile model(scratch.path() + "/m");
  const auto maps = model.apply(data);
  const std::size_t vector = data.feature_index("vector");
  const std::vector<double>& normalised = learned.mapped().features[vector].columns[0].values;
  // The same map up to the normalisation: an affine function of it.
  double low = 1e300, high = -1e300;
  for (std::size_t i = 2; i < 250; ++i) {
    if (i % 50 <= 1) continue;
    const double slope = (maps[vector][0][i] - maps[vector][0][1]) / (normalised[i] - normalised[1]);
    if (std::abs(normalised[i] - normalised[1]) < 0.1) continue;
    low = std::min(low, slope), high = std::max(high, slope);
  }
  EXPECT_NEAR(low / high, 1, 1e-4);
  EXPECT_TRUE(std::isnan(maps[vector][0][50]));
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

TEST(LearnMaps, CurvesAndSurfaceTellWhatWasLearned) {
  const Dataset data = rings(1000, 4, 1);
  MapsOptions options;
  options.map_dim = 2;
  options.epochs = 40;
  options.restarts = 1;
  options.folds = 1;
  const LearnedMaps maps = learn_maps(data, options);
  const std::vector<TrainingCurve> curves = maps.curves();
  ASSERT_EQ(curves.size(), 1U);
  ASSERT_EQ(curves[0].epochs.size(), curves[0].training.size());
  ASSERT_EQ(curves[0].epochs.size(), curves[0].validation.size());
  EXPECT_EQ(curves[0].epochs.back(), 40);
  EXPECT_TRUE(std::is_sorted(curves[0].epochs.begin(), curves[0].epochs.end()));
  EXPECT_EQ(std::count(curves[0].epochs.begin(), curves[0].epochs.end(), curves[0].kept), 1);
  EXPECT_GT(curves[0].training.back(), curves[0].training.front());

  // Where a sample falls on the plane the surrogate's mean is near its target: in the target's own units the noise is
  // 0.3, the deviation of the target about 1.5.
  const auto surface = maps.surfaces({0})[0];
  ASSERT_TRUE(surface.has_value());
  ASSERT_EQ(surface->mean.size(), surface->columns * surface->rows);
  const auto cell = [](double value, double low, double high, std::size_t cells) {
    return static_cast<std::size_t>(std::lround((value - low) / (high - low) * static_cast<double>(cells - 1)));
  };
  const std::vector<DataColumn>& plane = maps.mapped().features[0].columns;
  const std::vector<double>& y = data.target.columns[0].values;
  double squares = 0, spread = 0;
  const double mean = std::accumulate(y.begin(), y.end(), 0.0) / static_cast<double>(y.size());
  for (std::size_t i = 0; i < y.size(); ++i) {
    const std::size_t c = cell(plane[0].values[i], surface->x_low, surface->x_high, surface->columns),
                      r = cell(plane[1].values[i], surface->y_low, surface->y_high, surface->rows);
    squares += std::pow(surface->mean[r * surface->columns + c] - y[i], 2);
    spread += std::pow(y[i] - mean, 2);
  }
  EXPECT_LT(squares, 0.3 * spread);
  MapsOptions line = options;
  line.map_dim = 1;
  line.epochs = 2;
  EXPECT_FALSE(learn_maps(data, line).surfaces({0})[0].has_value());
}

/// log q(y) of a Bernoulli distribution with this logit.
double log_likelihood(double logit, bool y) { return -std::log1p(std::exp(y ? -logit : logit)); }

/// The surrogate without LibTorch says what the training process says with it.
TEST(SurrogateScores, MakeTheGainsOfTheTrainingProcess) {
  const Dataset data = mixed(600, 2);
  MapsOptions options = quick();
  options.folds = 2;
  options.epochs = 20;  // enough to learn something
  const LearnedMaps maps = learn_maps(data, options);
  const auto scores = maps.scores();
  ASSERT_NE(scores, nullptr);
  const std::size_t series = 0, vector = 2;
  const auto gains = maps.gains({{series, {}}, {vector, {series}}});
  const std::vector<double> alone = scores->score(series, {}), beside = scores->score(vector, std::vector{series});
  const SurrogateSamples& samples = scores->samples();
  double gain_alone = 0, gain_beside = 0, known = 0;
  for (std::size_t i = 0; i < data.samples(); ++i) {
    const bool y = data.target.columns[0].codes[i] == 1;
    const double none = samples.models[static_cast<std::size_t>(samples.model[i])].marginal[0];
    gain_alone += log_likelihood(none + alone[i], y) - log_likelihood(none, y);
    if (i % 50 == 0) continue;  // the vector has a gap there
    gain_beside += log_likelihood(none + alone[i] + beside[i], y) - log_likelihood(none + alone[i], y);
    ++known;
  }
  // Single precision, in another order: a few units in the seventh digit of logits near 1.
  EXPECT_NEAR(gain_alone / static_cast<double>(data.samples()), gains[0].gain, 1e-5);
  EXPECT_NEAR(gain_beside / known, gains[1].gain, 1e-5);
  EXPECT_GT(std::abs(gains[1].gain), 1e-3);
  EXPECT_TRUE(scores->score(0, std::vector<std::size_t>{1, 2, 3, 0}).empty());  // more than a mask ever kept
}

TEST(SurrogateScores, AreForFoldsAndTwoClasses) {
  MapsOptions options = quick();
  EXPECT_EQ(learn_maps(mixed(120, 2), options).scores(), nullptr);
  options.folds = 2;
  EXPECT_EQ(learn_maps(mixed(120, 3), options).scores(), nullptr);
  EXPECT_EQ(learn_maps(mixed(120, 0), options).scores(), nullptr);
}

/// A rank of a cluster asks the surrogate too.
TEST(SurrogateScores, ArePackedWithTheSamples) {
  const Dataset data = mixed(600, 2);
  MapsOptions options = quick();
  options.folds = 2;
  options.epochs = 20;
  const LearnedMaps maps = learn_maps(data, options);
  SelectOptions select;
  select.test.permutations = 64;
  const auto test = make_map_test(maps, select);
  const std::string bytes = pack_samples(*test);
  std::vector<std::uint64_t> words((bytes.size() + 7) / 8);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  const auto packed = make_packed_test({reinterpret_cast<const char*>(words.data()), bytes.size()}, {true, true, true}, select);
  const auto unscored = make_dataset_test(maps.mapped(), select, {}, maps.folds());
  for (const std::vector<std::size_t>& given : {std::vector<std::size_t>{}, std::vector<std::size_t>{0}}) {
    const CiResult here = test->test(2, given), there = packed->test(2, given);
    EXPECT_TRUE(here.null == there.null);
    EXPECT_EQ(here.p_value, there.p_value);
    EXPECT_FALSE(here.null == unscored->test(2, given).null);
  }
}

}  // namespace
}  // namespace macmi
