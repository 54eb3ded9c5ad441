#include "learn/training_team.hpp"

#include <atomic>
#include <chrono>
#include <future>
#include <mutex>
#include <string_view>
#include <vector>

#include "base/parallel.hpp"
#include "learn/worker_process.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

constexpr std::string_view order = "train ";
constexpr auto between_questions = std::chrono::milliseconds(200);

}  // namespace

void run_worker_with(TrainingTeam& team, const std::string& job, const std::string& folder,
                     const std::function<void(const std::string& line)>& on_line,
                     const std::function<bool()>& keep_going) {
  std::mutex one_at_a_time;
  std::vector<TrainingTask> tasks;
  const auto listen = [&](const std::string& line) {
    if (line.starts_with(order)) {
      tasks.push_back(training_task_of(line.substr(order.size())));
      return;
    }
    const std::lock_guard lock(one_at_a_time);
    on_line(line);
  };
  const auto train_all = [&] {
    auto round = std::async(std::launch::async, [&] {
      parallel_for(tasks.size(), 1, team.size(), [&](std::size_t begin, std::size_t end) {
        for (std::size_t t = begin; t < end; ++t) team.train(tasks[t], folder, listen);
      });
    });
    bool go_on = true;  // the team itself hears of an end that is wanted; here the hooks are asked as ever
    while (round.wait_for(between_questions) != std::future_status::ready) {
      const std::lock_guard lock(one_at_a_time);
      go_on = keep_going() && go_on;
    }
    round.get();
    tasks.clear();
    if (!go_on) throw Cancelled();
  };
  team.begin(job);
  run_worker({.job = job, .folder = folder, .how = {"team"}, .on_wait = train_all}, listen, keep_going);
}

}  // namespace macmi
