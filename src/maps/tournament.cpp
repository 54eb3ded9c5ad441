#include "maps/tournament.hpp"

#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <filesystem>
#include <optional>

#include "base/random.hpp"
#include "data/mapped_file.hpp"
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
  std::string path(const Entrant& e, const std::string& what) const {
    return fmt::format("{}/model{}.attempt{}.{}", context_.folder, e.model, e.attempt, what);
  }
  /// Every round has its own file: what it decided stays readable when a later round was interrupted.
  std::string state_path(const Entrant& e, std::size_t candidate, int round) const {
    return path(e, fmt::format("start{}.round{}", candidate, round));
  }

  Recipe recipe_of(const Entrant& e) const {
    Recipe r = recipe_;
    r.learning_rate *= e.rate_factor;
    r.weight_decay *= e.decay_factor;
    return r;
  }

  Trainer trainer(const Entrant& e, std::size_t candidate) const {
    const StreamKey key = StreamKey(recipe_.seed)
                              .with("training")
                              .with(e.model)
                              .with(candidate)
                              .with(static_cast<std::uint64_t>(e.attempt));
    return Trainer(network_, data_, recipe_of(e), as_tensor(job_.ints(fmt::format("train{}", e.model))),
                   as_tensor(job_.ints(fmt::format("valid{}", e.model))), key);
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
    std::vector<std::function<void()>> tasks;
    for (const Entrant* e : open)
      for (const std::size_t candidate : e->candidates)
        tasks.push_back([this, e, candidate, until, last] { train_one(*e, candidate, until, last); });
    run_in_processes(tasks, context_.processes);
  }

  void train_one(const Entrant& e, std::size_t candidate, std::int64_t until, bool last) const {
    at::set_num_threads(1);
    const Trainer trainer = this->trainer(e, candidate);
    const std::string file = state_path(e, candidate, e.round);
    std::optional<TrainingState> found = saved(file);
    const bool begun = found.has_value();
    if (!found && e.round > 0) found = saved(state_path(e, candidate, e.round - 1));
    TrainingState state = found ? std::move(*found) : trainer.start();
    const bool complete = state.epoch >= until || state.diverged;
    auto last_saved = std::chrono::steady_clock::now();
    if (!complete)
      trainer.advance(state, until, [&](const TrainingState& s) {
        context_.say(fmt::format("progress {} {} {} {} {} {}", e.model, candidate, s.epoch, epochs(), s.objective,
                                 s.validation));
        if (const auto now = std::chrono::steady_clock::now(); now - last_saved > between_checkpoints) {
          save(s, file);
          last_saved = now;
        }
        return true;
      });
    if (!complete || !begun) save(state, file);
    if (last && !state.diverged) write_result(e, trainer, state);
  }

  void keep_better_half(Entrant& e) const {
    if (e.candidates.size() < 2) return;
    std::vector<std::pair<double, std::size_t>> ranked;
    for (const std::size_t candidate : e.candidates) {
      const TrainingState state = saved_or_throw(state_path(e, candidate, e.round));
      ranked.emplace_back(state.diverged ? -std::numeric_limits<double>::infinity() : state.validation, candidate);
    }
    std::stable_sort(ranked.begin(), ranked.end(), [](const auto& a, const auto& b) { return a.first > b.first; });
    ranked.resize((ranked.size() + 1) / 2);
    e.candidates.clear();
    for (const auto& entry : ranked) e.candidates.push_back(entry.second);
  }

  void write_result(const Entrant& e, const Trainer& trainer, const TrainingState& state) const {
    const Architecture& a = network_.architecture();
    const at::Tensor& parameters = state.best_parameters;
    const at::Tensor train_rows = as_tensor(job_.ints(fmt::format("train{}", e.model)));
    const Likelihood held_out = trainer.validation(parameters), trained = trainer.likelihood(parameters, train_rows);
    const at::Tensor maps =
        map_samples(network_, parameters, data_, as_tensor(job_.ints(fmt::format("apply{}", e.model))));
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
      predictions = predict_samples(network_, parameters, data_, as_tensor(job_.ints(fmt::format("apply{}", e.model))));
      out.put("predictions", floats_of(predictions));
    }
    out.write(path(e, "result"));
  }

  void judge(Entrant& e) {
    if (saved_or_throw(state_path(e, e.candidates.front(), e.round)).diverged) {
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
    const std::string result = path(e, "result");
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

}  // namespace macmi
