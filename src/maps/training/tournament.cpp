#include "maps/training/tournament.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <optional>

#include "macmi/error.hpp"
#include "maps/training/rounds/training_round.hpp"
#include "maps/training/rounds/training_states.hpp"

namespace macmi::maps {
namespace {

constexpr double first_look = 0.04;  // of the schedule
constexpr int most_attempts = 4;
constexpr double decay_cut = 0.25, rate_cut = 1.0 / 3;
constexpr double clear_gain = 2;  // standard errors

/// One model of the job on its way: which attempt, and which initialisations are still in.
struct Entrant {
  std::size_t model = 0;
  int attempt = 0;
  double rate_factor = 1, decay_factor = 1;
  std::optional<TrainedNetwork> before_the_cut;  ///< the result that was no better than a constant
  std::vector<std::size_t> candidates;
  int round = 0;
  std::optional<TrainedNetwork> result;
};

class Tournament {
 public:
  Tournament(const TrainingJob& job, const TrainingPlace& place) : job_(job), place_(place), round_(job, place) {}

  std::vector<TrainedNetwork> run() {
    std::vector<Entrant> entrants(job_.rows.size());
    for (std::size_t j = 0; j < entrants.size(); ++j) {
      entrants[j].model = j;
      restart(entrants[j]);
    }
    while (true) {
      std::vector<Entrant*> open;
      for (Entrant& e : entrants)
        if (!e.result) open.push_back(&e);
      if (open.empty()) break;
      race(open);
    }
    std::vector<TrainedNetwork> results;
    for (Entrant& e : entrants) results.push_back(std::move(*e.result));
    return results;
  }

 private:
  std::int64_t epochs() const { return static_cast<std::int64_t>(job_.recipe.epochs); }

  void restart(Entrant& e) const {
    e.round = 0;
    e.candidates.clear();
    for (std::size_t c = 0; c < job_.recipe.restarts; ++c) e.candidates.push_back(c);
  }

  TrainingTask task_of(const Entrant& e, std::size_t candidate) const {
    return {e.model, e.attempt, e.rate_factor, e.decay_factor, candidate, e.round};
  }

  /// All open models through all rounds.
  void race(const std::vector<Entrant*>& open) {
    double share = first_look;
    while (std::any_of(open.begin(), open.end(), [](const Entrant* e) { return e->candidates.size() > 1; })) {
      train(open,
            std::clamp<std::int64_t>(std::llround(std::ceil(share * static_cast<double>(epochs()))), 1, epochs()));
      for (Entrant* e : open) {
        keep_better_half(*e);
        ++e->round;
      }
      share *= 2;
    }
    train(open, epochs());
    judge(open);
  }

  void train(const std::vector<Entrant*>& open, std::int64_t until) {
    std::vector<TrainingTask> tasks;
    for (const Entrant* e : open)
      for (const std::size_t candidate : e->candidates) {
        tasks.push_back(task_of(*e, candidate));
        tasks.back().until = until;
      }
    round_.train(tasks);
  }

  void keep_better_half(Entrant& e) {
    if (e.candidates.size() < 2) return;
    std::vector<std::pair<double, std::size_t>> ranked;
    for (const std::size_t candidate : e.candidates) {
      const TrainingState& state = round_.states().after(task_of(e, candidate));
      ranked.emplace_back(state.diverged ? -std::numeric_limits<double>::infinity() : state.validation, candidate);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    ranked.resize((ranked.size() + 1) / 2);
    e.candidates.clear();
    for (const auto& entry : ranked) e.candidates.push_back(entry.second);
  }

  /// Judges the winners' last states; models that fail start again.
  void judge(const std::vector<Entrant*>& open) {
    std::vector<std::optional<TrainedNetwork>> finished(open.size());
    round_.side_by_side(open.size(), [&](std::size_t i) {
      const TrainingTask task = task_of(*open[i], open[i]->candidates.front());
      const TrainingState& state = round_.states().after(task);
      if (!state.diverged) finished[i] = finish(task, state);
    });
    for (std::size_t i = 0; i < open.size(); ++i) judge(*open[i], std::move(finished[i]));
  }

  TrainedNetwork finish(const TrainingTask& task, const TrainingState& state) const {
    Trainer trainer = trainer_of(job_, task);
    const std::vector<float>& parameters = state.kept_parameters;
    return {parameters,
            trainer.marginal(),
            trainer.validation(parameters),
            trainer.training(parameters),
            {"", state.looked_after, state.trained, state.validated, static_cast<double>(state.kept_epoch)}};
  }

  void note(const std::string& text) const {
    if (place_.on_note) place_.on_note(text);
  }

  void judge(Entrant& e, std::optional<TrainedNetwork> result) const {
    if (!result) {
      if (e.attempt + 1 >= most_attempts)
        throw Error(
            "training diverged at every learning rate that was tried; look for extreme values in the data with macmi "
            "inspect");
      e.rate_factor *= rate_cut;
      note(fmt::format("the training diverged; starting again with learning rate {:.2g}",
                       job_.recipe.learning_rate * e.rate_factor));
      ++e.attempt;
      return restart(e);
    }
    const bool nothing = result->validation.gain < clear_gain * result->validation.gain_error;
    if (nothing && !e.before_the_cut && job_.recipe.weight_decay > 0) {
      e.before_the_cut = std::move(result);
      e.decay_factor *= decay_cut;
      note(fmt::format("the training predicts no better than a constant; starting again with weight decay {:.2g}",
                       job_.recipe.weight_decay * e.decay_factor));
      ++e.attempt;
      return restart(e);
    }
    if (nothing) note("again no better than a constant: the features tell nothing that training could find");
    e.result = nothing && e.before_the_cut ? std::move(e.before_the_cut) : std::move(result);
  }

  const TrainingJob& job_;
  const TrainingPlace& place_;
  TrainingRound round_;
};

}  // namespace

std::vector<TrainedNetwork> run_tournament(const TrainingJob& job, const TrainingPlace& place) {
  return Tournament(job, place).run();
}

}  // namespace macmi::maps
