#include "learn/training_task.hpp"

#include <gtest/gtest.h>

#include "macmi/error.hpp"

namespace macmi {
namespace {

TEST(TrainingTask, KeepsItsBitsAsText) {
  const TrainingTask task{3, 2, 1.0 / 3, 0.1 / 7, 5, 4, 1000000007, true};
  EXPECT_EQ(training_task_of(text_of(task)), task);
  EXPECT_EQ(training_task_of(text_of({})), TrainingTask{});
  EXPECT_THROW(training_task_of("1 2"), Error);
}

TEST(TrainingTask, NamesTheFilesOfItsRoundAndOfTheOneBefore) {
  TrainingTask task{.model = 1, .attempt = 2, .candidate = 3, .round = 0};
  EXPECT_EQ(task.needs(), std::vector{task.state_file()});
  EXPECT_EQ(task.gives(), std::vector{task.state_file()});
  const std::string first = task.state_file();
  task.round = 1;
  task.last = true;
  EXPECT_EQ(task.needs(), (std::vector{task.state_file(), first}));
  EXPECT_EQ(task.gives(), (std::vector{task.state_file(), task.result_file()}));
}

}  // namespace
}  // namespace macmi
