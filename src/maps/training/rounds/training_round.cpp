#include "maps/training/rounds/training_round.hpp"

#include <atomic>
#include <chrono>
#include <future>

#include "base/parallel.hpp"
#include "macmi/error.hpp"

namespace macmi::maps {
namespace {

using Clock = std::chrono::steady_clock;

constexpr auto between_checkpoints = std::chrono::seconds(5);
constexpr auto between_questions = std::chrono::milliseconds(100);

std::string bytes_where_needed(const TrainingJob& job, const TrainingPlace& place) {
  return place.team || !place.folder.empty() ? bytes_of(job) : std::string();
}

bool is_complete(const TrainingTask& task, const TrainingState& state) {
  return state.epoch >= task.until || state.diverged;
}

}  // namespace

std::string run_training(std::string_view job_bytes, const TrainingTask& task, const std::string& state_bytes,
                         const std::function<void(TrainingNews)>& on_news, const std::function<bool()>& keep_going) {
  const TrainingJob job = parse_training_job(job_bytes);
  const std::string fingerprint = fingerprint_of(job_bytes);
  Trainer trainer = trainer_of(job, task);
  TrainingState state = state_bytes.empty() ? trainer.start()
                                            : parse_training_state(state_bytes, "a training's state", fingerprint,
                                                                   parameter_count(job.architecture));
  auto last_sent = Clock::now();
  trainer.advance(
      state, task.until,
      [&](const TrainingState& s) {
        TrainingNews news{s.epoch, s.objective, s.validation, {}};
        if (const auto now = Clock::now(); now - last_sent > between_checkpoints) {
          news.state = bytes_of(s, fingerprint);
          last_sent = now;
        }
        on_news(std::move(news));
      },
      keep_going);
  return bytes_of(state, fingerprint);
}

TrainingRound::TrainingRound(const TrainingJob& job, const TrainingPlace& place)
    : job_(job),
      place_(place),
      job_bytes_(bytes_where_needed(job, place)),
      states_(place.folder, fingerprint_of(job_bytes_), parameter_count(job.architecture)) {
  progress_.models = job.rows.size();
  progress_.epochs = job.recipe.epochs;
  if (place.team) place.team->begin(job_bytes_);
}

void TrainingRound::hear(const TrainingTask& task, std::int64_t epoch, double objective, double validation) {
  const std::lock_guard lock(mutex_);
  std::int64_t& furthest = furthest_[task.model];
  furthest = std::max(furthest, epoch);
  double done = 0;
  for (const auto& entry : furthest_) done += static_cast<double>(entry.second) / static_cast<double>(progress_.epochs);
  progress_.model = task.model;
  progress_.epoch = static_cast<std::size_t>(epoch);
  progress_.objective = objective;
  progress_.validation = validation;
  progress_.share_done = done / static_cast<double>(progress_.models);
}

void TrainingRound::train_here(const TrainingTask& task, std::size_t threads, const std::function<bool()>& keep_going) {
  Trainer trainer = trainer_of(job_, task, threads);
  std::optional<TrainingState> found = states_.before(task);
  TrainingState state = found ? std::move(*found) : trainer.start();
  auto last_saved = Clock::now();
  trainer.advance(
      state, task.until,
      [&](const TrainingState& s) {
        hear(task, s.epoch, s.objective, s.validation);
        if (const auto now = Clock::now(); states_.in_files() && now - last_saved > between_checkpoints) {
          states_.keep(task, s);
          last_saved = now;
        }
      },
      keep_going);
  states_.keep(task, std::move(state));
}

void TrainingRound::train_elsewhere(const TrainingTask& task) {
  std::optional<TrainingState> found = states_.before(task);
  if (found && is_complete(task, *found)) return states_.keep(task, std::move(*found));
  const auto parse = [&](const std::string& bytes) {
    return parse_training_state(bytes, "a training's state", states_.fingerprint(), parameter_count(job_.architecture));
  };
  const std::string state =
      place_.team->train(task, found ? bytes_of(*found, states_.fingerprint()) : "", [&](const TrainingNews& news) {
        hear(task, news.epoch, news.objective, news.validation);
        if (news.state.empty() || !states_.in_files()) return;
        try {
          states_.keep(task, parse(news.state));
        } catch (const InputError&) {  // a checkpoint that cannot be kept; what matters comes with the answer
        }
      });
  states_.keep(task, parse(state));
}

void TrainingRound::side_by_side(std::size_t count, const std::function<void(std::size_t)>& body) {
  base::parallel_for(count, 1, place_.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) body(i);
  });
}

void TrainingRound::train(const std::vector<TrainingTask>& tasks) {
  std::atomic<bool> stop = false;
  // Cores that have no training of their own help inside the others.
  const std::size_t threads = std::max<std::size_t>(1, base::thread_count(place_.threads) / tasks.size());
  auto round = std::async(std::launch::async, [&] {
    const std::size_t at_once = place_.team ? place_.team->size() : place_.threads;
    base::parallel_for(tasks.size(), 1, at_once, [&](std::size_t begin, std::size_t end) {
      for (std::size_t t = begin; t < end; ++t) {
        if (place_.team)
          train_elsewhere(tasks[t]);
        else
          train_here(tasks[t], threads, [&] { return !stop; });
      }
    });
  });
  while (round.wait_for(between_questions) != std::future_status::ready) {
    MapsProgress now;
    {
      const std::lock_guard lock(mutex_);
      now = progress_;
    }
    try {
      if (place_.on_progress && !place_.on_progress(now)) stop = true;
    } catch (...) {
      stop = true;  // or the trainings would go on to their end before the exception leaves here
      throw;
    }
  }
  round.get();
  if (stop) throw Cancelled();
}

}  // namespace macmi::maps
