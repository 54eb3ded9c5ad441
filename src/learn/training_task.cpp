#include "learn/training_task.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "macmi/error.hpp"

namespace macmi {
namespace {

std::string name_of(const TrainingTask& t, const std::string& what) {
  return fmt::format("model{}.attempt{}.{}", t.model, t.attempt, what);
}

}  // namespace

std::string TrainingTask::state_file_of(int earlier_round) const {
  return name_of(*this, fmt::format("start{}.round{}", candidate, earlier_round));
}

std::string TrainingTask::result_file() const {
  return name_of(*this, "result");
}

std::vector<std::string> TrainingTask::needs() const {
  std::vector<std::string> files = {state_file()};
  if (round > 0) files.push_back(state_file_of(round - 1));
  return files;
}

std::vector<std::string> TrainingTask::gives() const {
  std::vector<std::string> files = {state_file()};
  if (last) files.push_back(result_file());
  return files;
}

std::string text_of(const TrainingTask& t) {
  return fmt::format("{} {} {:a} {:a} {} {} {} {:d}", t.model, t.attempt, t.rate_factor, t.decay_factor, t.candidate,
                     t.round, t.until, t.last);
}

TrainingTask training_task_of(const std::string& text) {
  TrainingTask t;
  unsigned long model = 0, candidate = 0;
  long until = 0;
  int last = 0;
  if (std::sscanf(text.c_str(), "%lu %d %la %la %lu %d %ld %d", &model, &t.attempt, &t.rate_factor, &t.decay_factor,
                  &candidate, &t.round, &until, &last) != 8)
    throw Error(fmt::format("'{}' is no training", text));
  t.model = model;
  t.candidate = candidate;
  t.until = until;
  t.last = last != 0;
  return t;
}

}  // namespace macmi
