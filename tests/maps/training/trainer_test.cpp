// One training: its likelihood by loops, its interruptions, its end when numbers run away.
#include "maps/training/trainer.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "macmi/error.hpp"
#include "maps/network/plain_objective.hpp"
#include "small_job.hpp"

namespace macmi::maps {
namespace {

using testing::SmallJob;

TEST(Trainer, GoesOnFromAnyEpochToTheSameBits) {
  for (const KeptWeights keep : {KeptWeights::best_validated, KeptWeights::last}) {
    SmallJob small;
    small.job.recipe.keep = keep;
    std::vector<std::string> after;
    TrainingTask task;
    task.until = 12;
    Trainer trainer = trainer_of(small.job, task);
    TrainingState whole = trainer.start();
    trainer.advance(whole, task.until, [&](const TrainingState& s) { after.push_back(bytes_of(s, "job")); }, {});
    ASSERT_EQ(after.size(), 12U);
    EXPECT_NE(whole.parameters, trainer.start().parameters);
    for (std::size_t stopped : {0, 4, 10}) {
      TrainingState state =
          parse_training_state(after[stopped], "a state", "job", parameter_count(small.job.architecture));
      trainer_of(small.job, task).advance(state, task.until, {}, {});
      EXPECT_EQ(bytes_of(state, "job"), after.back()) << "stopped after epoch " << stopped + 1;
    }
  }
}

TEST(Trainer, AsksAfterEveryStepWhetherToGoOn) {
  const SmallJob small;
  Trainer trainer = trainer_of(small.job, {});
  TrainingState state = trainer.start();
  int asked = 0;
  EXPECT_THROW(trainer.advance(state, 12, {}, [&] { return ++asked < 8; }), Cancelled);
  EXPECT_EQ(asked, 8);
  EXPECT_EQ(state.epoch, 1);  // 120 samples are six batches
}

/// Without dropout the likelihood has nothing random: a mean over samples, which loops give as well.
TEST(Trainer, LikelihoodAndGainEqualLoopsOverThePlainNetwork) {
  for (const Family family : {Family::normal, Family::bernoulli}) {
    SmallJob small({.family = family});
    small.job.recipe.masks = MaskRule::all_kept;
    Trainer trainer = trainer_of(small.job, {});
    TrainingState state = trainer.start();
    trainer.advance(state, 4, {}, {});
    const Likelihood got = trainer.validation(state.parameters);
    const std::vector<double> exact(state.parameters.begin(), state.parameters.end()),
        constant(trainer.marginal().begin(), trainer.marginal().end());
    const PlainNetwork plain(small.job.architecture, exact);
    const std::vector<std::uint32_t> all = {0, 1, 2};
    double mean = 0, gain = 0, squares = 0;
    const auto& rows = small.job.rows[0].valid;
    const auto n = static_cast<double>(rows.size());
    for (const std::int32_t row : rows) {
      const auto i = static_cast<std::size_t>(row);
      const auto y = small.job.samples.target.subspan(i, 1);
      const double own = plain.log_likelihood(plain.predict(plain.maps(small.job.samples, i), all), y);
      const double more = own - plain.log_likelihood(constant, y);
      mean += own / n, gain += more / n, squares += more * more / n;
    }
    // Means of 40 numbers whose predictions are in single precision.
    EXPECT_NEAR(got.mean, mean, 1e-5);
    EXPECT_NEAR(got.gain, gain, 1e-5);
    EXPECT_NEAR(got.gain_error, std::sqrt((squares - gain * gain) / n), 1e-5);
  }
}

TEST(Trainer, KeepsTheParametersOfTheBestValidationInTheSecondHalf) {
  SmallJob small;
  small.job.recipe.epochs = 10;
  Trainer trainer = trainer_of(small.job, {});
  TrainingState state = trainer.start();
  double best = -1e300;
  std::int64_t best_epoch = 0;
  std::vector<float> best_parameters;
  trainer.advance(state, 10,
                  [&](const TrainingState& s) {
                    if (s.epoch < 5 || s.validation <= best) return;
                    best = s.validation, best_epoch = s.epoch, best_parameters = s.parameters;
                  },
                  {});
  EXPECT_EQ(state.kept_epoch, best_epoch);
  EXPECT_EQ(state.kept_parameters, best_parameters);
  EXPECT_EQ(trainer.validation(state.kept_parameters).mean, best);
}

/// On noise, where the highest validation likelihood is not the last one.
TEST(Trainer, KeepsTheLastParametersWhereTheRecipeSaysSo) {
  SmallJob small({.noise_alone = true});
  std::vector<TrainingState> ends;
  for (const KeptWeights keep : {KeptWeights::best_validated, KeptWeights::last}) {
    small.job.recipe.keep = keep;
    Trainer trainer = trainer_of(small.job, {});
    ends.push_back(trainer.start());
    trainer.advance(ends.back(), 12, {}, {});
  }
  ASSERT_LT(ends[0].kept_epoch, 12);
  EXPECT_EQ(ends[1].parameters, ends[0].parameters) << "what is kept must not change the training";
  EXPECT_EQ(ends[1].kept_parameters, ends[1].parameters);
  EXPECT_NE(ends[0].kept_parameters, ends[0].parameters);
  EXPECT_EQ(ends[1].kept_epoch, 12);
  EXPECT_EQ(ends[1].kept_validation, ends[1].validated.back());
  EXPECT_LT(ends[1].kept_validation, ends[0].kept_validation);
}

TEST(Trainer, SeesThatATrainingDiverged) {
  for (const KeptWeights keep : {KeptWeights::best_validated, KeptWeights::last}) {
    SmallJob small;
    small.job.recipe.keep = keep;
    small.job.recipe.learning_rate = 1e30;
    Trainer trainer = trainer_of(small.job, {});
    TrainingState state = trainer.start();
    trainer.advance(state, 12, {}, {});
    EXPECT_TRUE(state.diverged);
    EXPECT_LT(state.epoch, 12);
    for (const float p : state.kept_parameters) ASSERT_TRUE(std::isfinite(p));
  }
}

TEST(Trainer, PenaltyGrowsGeometricallyAfterAFifth) {
  SmallJob small;
  small.job.recipe.first_penalty = 1e-4, small.job.recipe.last_penalty = 0.1;
  const Trainer trainer = trainer_of(small.job, {});
  EXPECT_EQ(trainer.penalty(0), 0);
  EXPECT_EQ(trainer.penalty(0.19), 0);
  EXPECT_NEAR(trainer.penalty(0.2), 1e-4, 1e-12);
  EXPECT_NEAR(trainer.penalty(0.6), std::sqrt(1e-4 * 0.1), 1e-9);
  EXPECT_NEAR(trainer.penalty(1), 0.1, 1e-12);
}

/// Weights of features under a penalty that outweighs every gradient: they become exact zeros, not small numbers.
TEST(Trainer, PenalisedScalesBecomeZero) {
  SmallJob small;
  small.job.architecture.scaled = true;
  small.job.recipe.first_penalty = small.job.recipe.last_penalty = 100;
  Trainer trainer = trainer_of(small.job, {});
  TrainingState state = trainer.start();
  EXPECT_EQ(std::vector<float>(state.parameters.begin(), state.parameters.begin() + 3), (std::vector<float>(3, 1.0F)));
  trainer.advance(state, 12, {}, {});
  EXPECT_EQ(std::vector<float>(state.parameters.begin(), state.parameters.begin() + 3), (std::vector<float>(3, 0.0F)));
}

}  // namespace
}  // namespace macmi::maps
