// Trainings that go wrong, and how they are told.
#include "maps/training/tournament.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "macmi/error.hpp"
#include "small_job.hpp"

namespace macmi::maps {
namespace {

using testing::SmallJob;

struct Told {
  std::vector<TrainedNetwork> trained;
  std::vector<std::string> notes;
  std::size_t count(const std::string& words) const {
    return static_cast<std::size_t>(std::count_if(
        notes.begin(), notes.end(), [&](const std::string& note) { return note.find(words) != std::string::npos; }));
  }
};

Told train(const TrainingJob& job) {
  Told told;
  TrainingPlace place;
  place.threads = 1;
  place.on_note = [&](const std::string& note) { told.notes.push_back(note); };
  told.trained = run_tournament(job, place);
  return told;
}

TEST(Tournament, LearnsWhatThereIsToLearnAndSaysNothingElse) {
  SmallJob small;
  small.job.recipe.epochs = 40;
  const Told told = train(small.job);
  EXPECT_TRUE(told.notes.empty());
  EXPECT_GT(told.trained[0].validation.gain, 3 * told.trained[0].validation.gain_error);
  EXPECT_EQ(told.trained[0].curve.epochs.back(), 40);
}

/// Whatever the winner keeps, it is the same winner: initialisations are compared by validation likelihood.
TEST(Tournament, KeepsTheLastWeightsOfTheSameWinner) {
  SmallJob small({.noise_alone = true});
  small.job.recipe.weight_decay = 0;  // no second attempt
  const TrainedNetwork best = train(small.job).trained[0];
  small.job.recipe.keep = KeptWeights::last;
  const TrainedNetwork last = train(small.job).trained[0];
  EXPECT_EQ(last.curve.validation, best.curve.validation);
  ASSERT_LT(best.curve.kept, 12);
  EXPECT_EQ(last.curve.kept, 12);
  EXPECT_NE(last.parameters, best.parameters);
  EXPECT_EQ(last.validation.mean, last.curve.validation.back());
}

TEST(Tournament, ADivergedTrainingStartsAgainWithAThirdOfTheRateAndSaysSo) {
  for (const KeptWeights keep : {KeptWeights::best_validated, KeptWeights::last}) {
    SmallJob small;
    small.job.recipe.keep = keep;
    small.job.recipe.learning_rate =
        1000;  // six layers of weights of that size overflow; of a third or a ninth of it they do not
    const Told told = train(small.job);
    EXPECT_GE(told.count("the training diverged; starting again with learning rate 3.3e+02"), 1U);
    for (const float p : told.trained[0].parameters) ASSERT_TRUE(std::isfinite(p));
  }
}

TEST(Tournament, DivergenceAtEveryRateIsAnError) {
  SmallJob small;
  small.job.recipe.learning_rate = 1e38;
  try {
    train(small.job);
    FAIL() << "it went on";
  } catch (const Error& error) {
    EXPECT_NE(std::string(error.what()).find("diverged at every learning rate"), std::string::npos) << error.what();
  }
}

TEST(Tournament, ADeadTrainingStartsAgainWithLessDecayAndSaysSo) {
  SmallJob small({.models = 2, .noise_alone = true});
  small.job.recipe.weight_decay = 0.2;
  const Told told = train(small.job);
  EXPECT_EQ(told.count("predicts no better than a constant; starting again with weight decay 0.05"), 2U);
  EXPECT_EQ(told.count("again no better than a constant"), 2U);
  // What had failed is what one attempt alone gives: the second was no better.
  small.job.recipe.weight_decay = 0;
  const Told once = train(small.job);
  EXPECT_EQ(once.count("starting again"), 0U) << "without decay there is none to take away";
}

TEST(Tournament, EveryModelOfAJobIsTheOneItWouldBeAlone) {
  const SmallJob both({.models = 2});
  const std::vector<TrainedNetwork> together = testing::train_alone(both.job);
  TrainingJob first = both.job;
  first.rows.pop_back();
  testing::expect_equal(testing::train_alone(first), {together[0]});
  EXPECT_NE(together[0].parameters, together[1].parameters);
}

// ctest label threads: two trainings side by side, stopped by a callback
TEST(Tournament, IsStoppedByItsCallback) {
  SmallJob small;
  small.job.recipe.epochs = 10'000'000;  // days, if it were not stopped
  TrainingPlace place;
  place.threads = 2;
  MapsProgress last;
  place.on_progress = [&](const MapsProgress& p) {
    last = p;
    return p.epoch < 2;
  };
  EXPECT_THROW(run_tournament(small.job, place), Cancelled);
  EXPECT_EQ(last.models, 1U);
  EXPECT_EQ(last.epochs, 10'000'000U);
  EXPECT_TRUE(std::isfinite(last.objective));
  place.on_progress = [](const MapsProgress&) -> bool { throw InputError("enough"); };
  EXPECT_THROW(run_tournament(small.job, place), InputError);
}

}  // namespace
}  // namespace macmi::maps
