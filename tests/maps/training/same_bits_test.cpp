// One training gives the same bits on any number of threads, on every instruction set and on other processes.
#include <gtest/gtest.h>

#include <mutex>
#include <set>

#include "maps/every_simd.hpp"
#include "small_job.hpp"

namespace macmi::maps {
namespace {

using testing::expect_equal;
using testing::SmallJob;
using testing::train_alone;

// ctest label threads: one thread against several
TEST(SameBitsThreads, OnAnyNumberOfThreads) {
  const SmallJob small({.models = 2});
  const std::vector<TrainedNetwork> one = train_alone(small.job);
  for (const std::size_t threads : {2, 4, 16}) {
    SCOPED_TRACE(threads);
    TrainingPlace place;
    place.threads = threads;  // more threads than trainings: those left help inside
    expect_equal(run_tournament(small.job, place), one);
  }
}

TEST(SameBits, OnEveryInstructionSet) {
  for (const Family family : {Family::normal, Family::bernoulli}) {
    SmallJob small({.samples = 48, .family = family});
    small.job.recipe.epochs = 3;
    small.job.recipe.restarts = 1;
    small.job.recipe.batch = 20;
    const std::vector<TrainedNetwork> best = train_alone(small.job);
    testing::for_every_simd([&](const std::string& simd) {
      SCOPED_TRACE(simd);
      expect_equal(train_alone(small.job), best);
    });
  }
}

/// Processes played by threads: everything goes through bytes.
class ByteTeam final : public TrainingTeam {
 public:
  std::size_t size() const override { return 3; }
  void begin(std::string_view job) override { job_ = std::string(job); }
  std::string train(const TrainingTask& task, const std::string& state,
                    const std::function<void(TrainingNews)>& on_news) override {
    {
      const std::lock_guard lock(mutex_);
      seen.insert(text_of(task));
    }
    return run_training(job_, training_task_of(text_of(task)), state, on_news, [] { return true; });
  }
  std::set<std::string> seen;

 private:
  std::string job_;
  std::mutex mutex_;
};

// ctest label threads: ranks that threads play
TEST(SameBitsThreads, OnATeam) {
  for (const bool noise : {false, true}) {
    const SmallJob small({.models = 2, .noise_alone = noise});
    ByteTeam team;
    TrainingPlace place;
    place.team = &team;
    expect_equal(run_tournament(small.job, place), train_alone(small.job));
    EXPECT_GE(team.seen.size(), 6U);  // two models: two initialisations each, then the better
  }
}

TEST(SameBits, AJobSurvivesItsBytes) {
  const SmallJob small({.models = 2});
  const std::string bytes = bytes_of(small.job);
  const TrainingJob again = parse_training_job(bytes);
  EXPECT_EQ(bytes_of(again), bytes);
  EXPECT_EQ(fingerprint_of(bytes_of(again)), fingerprint_of(bytes));
  SmallJob other({.models = 2});
  other.job.recipe.seed = 5;
  EXPECT_NE(fingerprint_of(bytes_of(other.job)), fingerprint_of(bytes));
  other.job = small.job;
  other.job.recipe.keep = KeptWeights::last;
  EXPECT_NE(fingerprint_of(bytes_of(other.job)), fingerprint_of(bytes));
  EXPECT_EQ(parse_training_job(bytes_of(other.job)).recipe.keep, KeptWeights::last);
  std::vector<float> target(small.job.samples.target.begin(), small.job.samples.target.end());
  target.back() += 1;
  other.job = small.job;
  other.job.samples.target = target;
  EXPECT_NE(fingerprint_of(bytes_of(other.job)), fingerprint_of(bytes));
}

}  // namespace
}  // namespace macmi::maps
