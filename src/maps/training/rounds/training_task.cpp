#include "maps/training/rounds/training_task.hpp"

#include <fmt/format.h>

#include <cstdio>

#include "macmi/error.hpp"

namespace macmi::maps {

std::string TrainingTask::state_name_of(int earlier_round) const {
  return fmt::format("model{}.attempt{}.start{}.round{}", model, attempt, candidate, earlier_round);
}

std::string text_of(const TrainingTask& t) {
  return fmt::format("{} {} {:a} {:a} {} {} {}", t.model, t.attempt, t.rate_factor, t.decay_factor, t.candidate,
                     t.round, t.until);
}

TrainingTask training_task_of(const std::string& text) {
  TrainingTask t;
  unsigned long model = 0, candidate = 0;
  long until = 0;
  if (std::sscanf(text.c_str(), "%lu %d %la %la %lu %d %ld", &model, &t.attempt, &t.rate_factor, &t.decay_factor,
                  &candidate, &t.round, &until) != 7)
    throw Error(fmt::format("'{}' is no training", text));
  t.model = model;
  t.candidate = candidate;
  t.until = until;
  return t;
}

}  // namespace macmi::maps
