// Trainings on the ranks of a team, which are threads here: jobs, states and news go as bytes.
#include "cluster/rank_training.hpp"

#include <gtest/gtest.h>

#include <thread>

#include "cluster/thread_ranks.hpp"
#include "maps/training/small_job.hpp"

namespace macmi::cluster {
namespace {

using testing::expect_equal;
using testing::SmallJob;

// ctest label threads: ranks that threads play
TEST(RankTrainingThreads, GivesTheBitsOfOneProcess) {
  const SmallJob small({.models = 2}), other({.noise_alone = true});
  for (const int size : {1, 3}) {
    SCOPED_TRACE(size);
    ThreadNetwork network(size);
    ThreadRanks first(network, 0);
    std::vector<std::jthread> workers;
    for (int rank = 1; rank < size; ++rank)
      workers.emplace_back([&network, rank] {
        ThreadRanks ranks(network, rank);
        serve(ranks, {{}, train_on_rank}, [] { return false; });
      });
    {
      Coordinator coordinator(first, {});
      const auto team = make_training_team(coordinator);
      EXPECT_EQ(team->size(), static_cast<std::size_t>(size));
      maps::TrainingPlace place;
      place.team = team.get();
      expect_equal(maps::run_tournament(small.job, place), testing::train_alone(small.job));
      expect_equal(maps::run_tournament(other.job, place),
                   testing::train_alone(other.job));  // the same team, another job
    }
    workers.clear();
  }
}

}  // namespace
}  // namespace macmi::cluster
