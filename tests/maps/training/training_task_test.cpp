#include "maps/training/rounds/training_task.hpp"

#include <gtest/gtest.h>

#include <set>

#include "macmi/error.hpp"

namespace macmi::maps {
namespace {

TEST(TrainingTask, KeepsItsBitsAsText) {
  const TrainingTask task{3, 2, 1.0 / 3, 0.1 / 7, 5, 4, 1000000007};
  EXPECT_EQ(training_task_of(text_of(task)), task);
  EXPECT_EQ(training_task_of(text_of({})), TrainingTask{});
  EXPECT_THROW(training_task_of("1 2"), Error);
}

TEST(TrainingTask, HasAStateOfItsOwnInEveryRound) {
  const TrainingTask task{.model = 1, .attempt = 2, .candidate = 3, .round = 1};
  std::set<std::string> names = {task.state_name(), task.state_name_of(0)};
  for (TrainingTask other :
       {TrainingTask{2, 2, 1, 1, 3, 1}, TrainingTask{1, 3, 1, 1, 3, 1}, TrainingTask{1, 2, 1, 1, 4, 1}})
    names.insert(other.state_name());
  EXPECT_EQ(names.size(), 5U);
  TrainingTask before = task;
  before.round = 0;
  EXPECT_EQ(task.state_name_of(0), before.state_name());
}

}  // namespace
}  // namespace macmi::maps
