// Trainings that were ended at any moment and started again.
#include <gtest/gtest.h>

#include <atomic>
#include <filesystem>
#include <fstream>

#include "macmi/error.hpp"
#include "maps/scratch_folder.hpp"
#include "maps/training/rounds/training_states.hpp"
#include "small_job.hpp"

namespace macmi::maps {
namespace {

using testing::expect_equal;
using testing::ScratchFolder;
using testing::SmallJob;
using testing::train_alone;

/// Ends everything at its n-th training.
class MortalTeam final : public TrainingTeam {
 public:
  explicit MortalTeam(int trainings) : left_(trainings) {}
  std::size_t size() const override { return 1; }
  void begin(std::string_view job) override { job_ = job; }
  std::string train(const TrainingTask& task, const std::string& state,
                    const std::function<void(TrainingNews)>& on_news) override {
    if (left_-- == 0) throw Cancelled();
    ++made;
    return run_training(job_, task, state, on_news, [] { return true; });
  }
  int made = 0;

 private:
  int left_;
  std::string_view job_;
};

std::vector<TrainedNetwork> train_in(const std::string& folder, const TrainingJob& job, TrainingTeam* team = nullptr) {
  TrainingPlace place;
  place.threads = 1;
  place.folder = folder;
  place.team = team;
  return run_tournament(job, place);
}

/// A training half done, as its checkpoint would be.
TrainingState half_done(const TrainingJob& job, const TrainingTask& task) {
  TrainingState kept;
  Trainer trainer = trainer_of(job, task);
  TrainingState state = trainer.start();
  trainer.advance(state, task.until,
                  [&](const TrainingState& s) {
                    if (s.epoch == 7) kept = s;
                  },
                  {});
  return kept;
}

TEST(Checkpoints, ATournamentThatEndedAtAnyTrainingGoesOnToTheSameBits) {
  SmallJob small({.models = 2});
  small.job.recipe.keep = KeptWeights::last;
  MortalTeam immortal(-1);
  const std::vector<TrainedNetwork> whole = train_in("", small.job, &immortal);
  ASSERT_GE(immortal.made, 6);  // of two models two initialisations each, then the better
  for (const int trainings : {0, 1, 3, 4, immortal.made - 1}) {
    const ScratchFolder folder;
    MortalTeam mortal(trainings), rest(-1);
    EXPECT_THROW(train_in(folder.path(), small.job, &mortal), Cancelled);
    expect_equal(train_in(folder.path(), small.job, &rest), whole);
    EXPECT_EQ(mortal.made + rest.made, immortal.made) << "a training was made a second time";
  }
}

TEST(Checkpoints, InTheMiddleOfATrainingAreGoneOnFrom) {
  SmallJob small;
  small.job.recipe.restarts = 1;
  const std::vector<TrainedNetwork> whole = train_alone(small.job);
  TrainingTask task;
  task.until = 12;
  const ScratchFolder folder;
  TrainingStates states(folder.path(), fingerprint_of(bytes_of(small.job)), parameter_count(small.job.architecture));
  TrainingState state = half_done(small.job, task);
  states.keep(task, state);
  expect_equal(train_in(folder.path(), small.job), whole);
  // It is the file that was gone on from: one that says something else has another end.
  state.parameters[0] += 1;
  states.keep(task, state);
  EXPECT_NE(train_in(folder.path(), small.job)[0].parameters, whole[0].parameters);
}

TEST(Checkpoints, OfOtherJobsOrDamagedOnesAreNotUsed) {
  SmallJob small;
  const std::vector<TrainedNetwork> whole = train_alone(small.job);
  const ScratchFolder folder;
  small.job.recipe.seed = 6;
  train_in(folder.path(), small.job);
  small.job.recipe.seed = 4;
  expect_equal(train_in(folder.path(), small.job), whole);
  std::size_t files = 0;
  for (const auto& entry : std::filesystem::directory_iterator(folder.path())) {
    const auto size = std::filesystem::file_size(entry.path());
    if (++files % 3 == 0)
      std::ofstream(entry.path(), std::ios::binary) << "nonsense";
    else if (files % 3 == 1)
      std::filesystem::resize_file(entry.path(), size / 2);
    else {
      std::fstream file(entry.path(), std::ios::binary | std::ios::in | std::ios::out);
      file.seekp(static_cast<std::streamoff>(size / 2));
      file.put('\x5a');
      file.put('\x5b');
    }
  }
  EXPECT_EQ(files, 3U);  // two initialisations, then the better
  expect_equal(train_in(folder.path(), small.job), whole);
}

TEST(Checkpoints, WithAnyByteChangedAreRefused) {
  SmallJob small;
  TrainingTask task;
  task.until = 2;
  Trainer trainer = trainer_of(small.job, task);
  TrainingState state = trainer.start();
  trainer.advance(state, 2, {}, {});
  const std::string bytes = bytes_of(state, "job");
  const std::size_t parameters = state.parameters.size();
  EXPECT_EQ(bytes_of(parse_training_state(bytes, "it", "job", parameters), "job"), bytes);
  for (std::size_t at = 0; at < bytes.size(); at += 7) {
    std::string changed = bytes;
    changed[at] = static_cast<char>(changed[at] ^ 0x41);
    EXPECT_THROW(parse_training_state(changed, "it", "job", parameters), InputError) << at;
  }
  EXPECT_THROW(parse_training_state(bytes, "it", "another", parameters), InputError);
  EXPECT_THROW(parse_training_state(bytes, "it", "job", parameters + 1), InputError);
  EXPECT_THROW(parse_training_state(bytes.substr(0, bytes.size() - 5), "it", "job", parameters), InputError);
}

}  // namespace
}  // namespace macmi::maps
