#include "maps/tournament.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/random.hpp"
#include "data/mapped_file.hpp"
#include "learn/training_task.hpp"
#include "macmi/error.hpp"
#include "maps/evaluate.hpp"
#include "maps/processes.hpp"
#include "maps/surrogate.hpp"

namespace macmi {
namespace {

constexpr double first_look = 0.04;  // of the schedule
constexpr int most_attempts = 4;
constexpr double decay_cut = 0.25, rate_cut = 1.0 / 3;
constexpr double clear_gain = 2;  // standard errors
constexpr const char* saved_a_state = "saved";  // for whoever keeps states elsewhere
constexpr auto between_checkpoints = std::chrono::seconds(5);

std::span<const float> floats_of(const at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

/// One model of the job on its way: which attempt, and which initialisations are still in.
struct Entrant {
  std::size_t model = 0;
  int attempt = 0;
  double rate_factor = 1, decay_factor = 1;
  std::string before_the_cut;  ///< the result that was no better than a constant
  std::vector<std::size_t> candidates;
  int round = 0;
  bool done = false;
};

class Tournament {
 public:
  Tournament(const ArrayFile& job, const Network& network, const TrainingData& data, const JobContext& context)
      : job_(job),
        network_(network),
        data_(data),
        context_(context),
        recipe_(get_recipe(job)),
        fingerprint_(job.text("fingerprint")) {}

  void train_one(const TrainingTask& task) const {
    at::set_num_threads(1);
    const Trainer trainer = this->trainer(task);
    const std::string file = path(task.state_file());
    std::optional<TrainingState> found = saved(file);
    const bool begun = found.has_value();
    if (!found && task.round > 0) found = saved(path(task.state_file_of(task.round - 1)));
    TrainingState state = found ? std::move(*found) : trainer.start();
    const bool complete = is_complete(task, state);
    auto last_saved = std::chrono::steady_clock::now();
    if (!complete)
      trainer.advance(state, task.until, [&](const TrainingState& s) {
        context_.say(fmt::format("progress {} {} {} {} {} {}", task.model, task.candidate, s.epoch, epochs(),
                                 s.objective, s.validation));
        if (const auto now = std::chrono::steady_clock::now(); now - last_saved > between_checkpoints) {
          save(s, file);
          context_.say(saved_a_state);
          last_saved = now;
        }
        return true;
      });
    if (!complete || !begun) save(state, file);
    if (task.last && !state.diverged) write_result(task, trainer, state);
  }

  void run() {
    std::vector<Entrant> entrants(static_cast<std::size_t>(job_.integer("models", 1, 1000)));
    for (std::size_t j = 0; j < entrants.size(); ++j) {
      entrants[j].model = j;
      restart(entrants[j]);
    }
    while (true) {
      std::vector<Entrant*> open;
      for (Entrant& e : entrants)
        if (!e.done) open.push_back(&e);
      if (open.empty()) return;
      race(open);
    }
  }

 private:
  void restart(Entrant& e) const {
    e.round = 0;
    e.candidates.clear();
    for (std::size_t c = 0; c < recipe_.restarts; ++c) e.candidates.push_back(c);
  }

  /// All open models through all rounds.
  void race(const std::vector<Entrant*>& open) {
    double share = first_look;
    while (std::any_of(open.begin(), open.end(), [](const Entrant* e) { return e->candidates.size() > 1; })) {
      const auto until = std::min<std::int64_t>(
          epochs(), std::max<std::int64_t>(1, std::llround(std::ceil(share * static_cast<double>(epochs())))));
      train(open, until, false);
      for (Entrant* e : open) {
        keep_better_half(*e);
        ++e->round;
      }
      share *= 2;
    }
    train(open, epochs(), true);
    for (Entrant* e : open) judge(*e);
  }

  std::int64_t epochs() const { return static_cast<std::int64_t>(recipe_.epochs); }
  std::string path(const std::string& file) const { return context_.folder + "/" + file; }
  TrainingTask task_of(const Entrant& e, std::size_t candidate) const {
    return {e.model, e.attempt, e.rate_factor, e.decay_factor, candidate, e.round};
  }
  static bool is_complete(const TrainingTask& task, const TrainingState& state) {
    return state.epoch >= task.until || state.diverged;
  }

  Recipe recipe_of(const TrainingTask& task) const {
    Recipe r = recipe_;
    r.learning_rate *= task.rate_factor;
    r.weight_decay *= task.decay_factor;
    return r;
  }

  Trainer trainer(const TrainingTask& task) const {
    const StreamKey key = StreamKey(recipe_.seed)
                              .with("training")
                              .with(task.model)
                              .with(task.candidate)
                              .with(static_cast<std::uint64_t>(task.attempt));
    return Trainer(network_, data_, recipe_of(task), as_tensor(job_.ints(fmt::format("train{}", task.model))),
                   as_tensor(job_.ints(fmt::format("valid{}", task.model))), key);
  }

  /// The state of an earlier run of this very job, if there is one.
  std::optional<TrainingState> saved(const std::string& file) const {
    if (!std::filesystem::exists(file)) return std::nullopt;
    try {
      const MappedFile mapped(file);
      const ArrayFile arrays = ArrayFile::parse(mapped.bytes(), file);
      if (arrays.text("fingerprint") != fingerprint_) return std::nullopt;
      return get_training_state(arrays, network_);
    } catch (const InputError&) {
      return std::nullopt;  // a damaged checkpoint costs time, not the result
    }
  }

  TrainingState saved_or_throw(const std::string& file) const {
    if (auto state = saved(file)) return std::move(*state);
    throw Error(fmt::format("{} cannot be read back", file));
  }

  void save(const TrainingState& state, const std::string& file) const {
    ArrayFileWriter out;
    put(out, state);
    out.put_text("fingerprint", fingerprint_);
    out.write(file);
  }

  void train(const std::vector<Entrant*>& open, std::int64_t until, bool last) {
    std::vector<TrainingTask> tasks;
    for (const Entrant* e : open)
      for (const std::size_t candidate : e->candidates) {
        TrainingTask task = task_of(*e, candidate);
        task.until = until;
        task.last = last;
        tasks.push_back(task);
      }
    if (context_.train_elsewhere) return train_elsewhere(tasks);
    std::vector<std::function<void()>> work;
    for (const TrainingTask& task : tasks) work.emplace_back([this, &task] { train_one(task); });
    run_in_processes(work, context_.processes);
  }

  /// What an earlier run has finished stays here.
  void train_elsewhere(std::vector<TrainingTask> tasks) const {
    std::erase_if(tasks, [this](const TrainingTask& task) {
      const std::optional<TrainingState> state = saved(path(task.state_file()));
      return !task.last && state && is_complete(task, *state);
    });
    if (!tasks.empty()) context_.train_elsewhere(tasks);
  }

  void keep_better_half(Entrant& e) const {
    if (e.candidates.size() < 2) return;
    std::vector<std::pair<double, std::size_t>> ranked;
    for (const std::size_t candidate : e.candidates) {
      const TrainingState state = saved_or_throw(path(task_of(e, candidate).state_file()));
      ranked.emplace_back(state.diverged ? -std::numeric_limits<double>::infinity() : state.validation, candidate);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    ranked.resize((ranked.size() + 1) / 2);
    e.candidates.clear();
    for (const auto& entry : ranked) e.candidates.push_back(entry.second);
  }

  void write_result(const TrainingTask& task, const Trainer& trainer, const TrainingState& state) const {
    const Architecture& a = network_.architecture();
    const at::Tensor& parameters = state.best_parameters;
    const at::Tensor train_rows = as_tensor(job_.ints(fmt::format("train{}", task.model)));
    const Likelihood held_out = trainer.validation(parameters), trained = trainer.likelihood(parameters, train_rows);
    const at::Tensor maps =
        map_samples(network_, parameters, data_, as_tensor(job_.ints(fmt::format("apply{}", task.model))));
    const at::Tensor marginal =
        marginal_prediction(a.family, a.target_width, data_.target.index_select(0, train_rows)).contiguous();
    const std::vector<double> divergence = divergence_of_features(network_, parameters, data_, train_rows, recipe_);
    const std::vector<double> likelihoods = {held_out.mean, held_out.gain, held_out.gain_error,
                                             trained.mean,  trained.gain,  trained.gain_error};
    ArrayFileWriter out;
    out.put_text("fingerprint", fingerprint_);
    out.put("parameters", floats_of(parameters));
    out.put("marginal", floats_of(marginal));
    out.put("maps", floats_of(maps));
    out.put("divergence", std::span<const double>(divergence));
    out.put("likelihoods", std::span<const double>(likelihoods));
    put_curve(out, state);
    at::Tensor predictions;  // arrays are views until they are written
    if (job_.has("predict")) {
      predictions = predict_samples(network_, parameters, data_, as_tensor(job_.ints(fmt::format("apply{}", task.model))));
      out.put("predictions", floats_of(predictions));
    }
    out.write(path(task.result_file()));
  }

  void judge(Entrant& e) {
    if (saved_or_throw(path(task_of(e, e.candidates.front()).state_file())).diverged) {
      if (e.attempt + 1 >= most_attempts)
        throw Error(
            "training diverged at every learning rate that was tried; look for extreme values in the data with macmi "
            "inspect");
      e.rate_factor *= rate_cut;
      context_.say(fmt::format("note the training diverged; starting again with learning rate {:.2g}",
                               recipe_.learning_rate * e.rate_factor));
      ++e.attempt;
      return restart(e);
    }
    const std::string result = path(task_of(e, e.candidates.front()).result_file());
    const MappedFile mapped(result);
    const ArrayFile arrays = ArrayFile::parse(mapped.bytes(), result);
    const auto likelihoods = arrays.doubles("likelihoods");
    const bool nothing = likelihoods[1] < clear_gain * likelihoods[2];
    if (nothing && e.before_the_cut.empty() && recipe_.weight_decay > 0) {
      e.before_the_cut = result;
      e.decay_factor *= decay_cut;
      context_.say(
          fmt::format("note the training predicts no better than a constant; starting again with weight decay {:.2g}",
                      recipe_.weight_decay * e.decay_factor));
      ++e.attempt;
      return restart(e);
    }
    const std::string& chosen = nothing && !e.before_the_cut.empty() ? e.before_the_cut : result;
    if (nothing)
      context_.say("note again no better than a constant: the features tell nothing that training could find");
    std::filesystem::copy_file(chosen, fmt::format("{}/result{}", context_.folder, e.model),
                               std::filesystem::copy_options::overwrite_existing);
    e.done = true;
  }

  const ArrayFile& job_;
  const Network& network_;
  const TrainingData& data_;
  const JobContext& context_;
  Recipe recipe_;
  std::string fingerprint_;
};

}  // namespace

void run_tournament(const ArrayFile& job, const Network& network, const TrainingData& data, const JobContext& context) {
  Tournament(job, network, data, context).run();
}

void run_training(const ArrayFile& job, const Network& network, const TrainingData& data, const JobContext& context,
                  const TrainingTask& task) {
  Tournament(job, network, data, context).train_one(task);
}

}  // namespace macmi
