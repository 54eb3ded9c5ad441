// The surrogate as tests on folded maps use it.
#include "maps/surrogate_scores.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <cstring>

#include "macmi/select.hpp"
#include "map_data.hpp"
#include "select/selection_test.hpp"

namespace macmi::maps {
namespace {

using testing::mixed;
using testing::quick;

/// log q(y) of a Bernoulli distribution with this logit.
double log_likelihood(double logit, bool y) {
  return -std::log1p(std::exp(y ? -logit : logit));
}

/// Scores are differences of log-odds; the likelihoods made from them are the gains that a loop over samples gives.
TEST(SurrogateScores, MakeTheGainsOfTheSurrogate) {
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
  const auto test = make_selection_test(maps, select);
  const std::string bytes = test->packed();
  std::vector<std::uint64_t> words((bytes.size() + 7) / 8);
  std::memcpy(words.data(), bytes.data(), bytes.size());
  const auto packed = select::make_packed_test({reinterpret_cast<const char*>(words.data()), bytes.size()}, select);
  const auto unscored = make_selection_test(maps.mapped(), select, {}, maps.folds());
  for (const std::vector<std::size_t>& given : {std::vector<std::size_t>{}, std::vector<std::size_t>{0}}) {
    const CiResult here = test->test(2, given), there = packed->test(2, given);
    EXPECT_TRUE(here.null == there.null);
    EXPECT_EQ(here.p_value, there.p_value);
    EXPECT_FALSE(here.null == unscored->test(2, given).null);
  }
}

}  // namespace
}  // namespace macmi::maps
