#include <fmt/format.h>

#include <cmath>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <map>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "data/mapped_file.hpp"
#include "learn/choose_recipe.hpp"
#include "learn/learned_state.hpp"
#include "learn/mapped_dataset.hpp"
#include "learn/training_team.hpp"
#include "learn/worker_process.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

constexpr std::size_t least_samples = 60;
/// Small samples and recurrent networks fit noise that hardly shows in a likelihood averaged over features, but does in
/// tests (docs/benchmarks/maps_type1.md).
constexpr std::size_t least_for_same_samples = 4000;
constexpr std::size_t folds_by_default = 2;

/// Reads the lines of progress and passes them on.
class ProgressReader {
 public:
  ProgressReader(const MapsHooks& hooks, std::vector<std::string>& notes, std::size_t models, const Recipe& recipe)
      : hooks_(hooks), notes_(notes), models_(models), recipe_(recipe) {}
  void line(const std::string& text) {
    if (text.starts_with("note ")) {
      notes_.push_back(text.substr(5));
      if (hooks_.on_note) hooks_.on_note(notes_.back());
      return;
    }
    unsigned long model = 0, candidate = 0, epoch = 0, epochs = 0;
    double objective = 0, validation = 0;
    if (std::sscanf(text.c_str(), "progress %lu %lu %lu %lu %lf %lf", &model, &candidate, &epoch, &epochs, &objective,
                    &validation) != 6)
      return;
    std::size_t& furthest = furthest_[model];
    furthest = std::max<std::size_t>(furthest, epoch);
    double done = 0;
    for (const auto& entry : furthest_)
      done += static_cast<double>(entry.second) / static_cast<double>(std::max(1UL, epochs));
    now_ = {model, models_, epoch, epochs, objective, validation, done / static_cast<double>(models_)};
  }
  bool keep_going() const { return !hooks_.on_progress || hooks_.on_progress(now_); }

 private:
  const MapsHooks& hooks_;
  std::vector<std::string>& notes_;
  std::size_t models_;
  Recipe recipe_;
  std::map<std::size_t, std::size_t> furthest_;
  MapsProgress now_;
};

/// What a training depends on, in 16 digits: states with the same are continued.
std::string fingerprint_of(const ArrayFileWriter& job) {
  const std::string bytes = job.bytes();
  StreamKey key(7);
  for (std::size_t at = 0; at + 8 <= bytes.size(); at += 8) {
    std::uint64_t word;
    std::memcpy(&word, bytes.data() + at, 8);
    key = key.with(word);
  }
  return fmt::format("{:016x}{}", key.with(bytes.size()).value(), blas_kernels());
}

void check(const Dataset& data) {
  if (!data.has_target()) throw InputError("there is no target: name its column with --target");
  if (data.samples() < least_samples)
    throw InputError(fmt::format(
        "{}: {} samples are too few to learn feature maps; at least {} are needed (--maps none works with fewer)",
        data.source, data.samples(), least_samples));
}

bool has_series(const Dataset& data, const MapsOptions& o) {
  const Coding coding = plan_coding(data, o.kind, choose_map_dim(data, o));
  return std::any_of(coding.features.begin(), coding.features.end(),
                     [](const FeatureCoding& f) { return f.shape.encoder == Encoder::gru; });
}

/// One training of all models, and the data set seen through them.
std::unique_ptr<LearnedMaps::State> train(const Dataset& data, const MapsOptions& o, std::size_t folds,
                                          const std::string& folder, const MapsHooks& hooks) {
  auto state = std::make_unique<LearnedMaps::State>();
  state->options = o;
  state->coding = plan_coding(data, o.kind, choose_map_dim(data, o));
  state->architecture = choose_architecture(data, state->coding, o);
  if (folds > 1) state->folds = draw_folds(data, folds, o.seed);
  state->rows = split_rows(data, state->folds, o.holdout, o.seed);
  state->recipe = choose_recipe(state->architecture, state->rows.front().train.size(), o);
  state->features = code_features(data, state->coding, state->architecture);
  state->target = code_target(data, state->coding, state->architecture.family);

  ArrayFileWriter job;
  job.put_text("kind", "train");
  put_samples(job, *state);
  put(job, state->recipe);
  put_rows(job, state->rows);
  job.put_text("fingerprint", fingerprint_of(job));
  std::filesystem::create_directories(folder);
  job.write(folder + "/job");
  ProgressReader reader(hooks, state->notes, state->rows.size(), state->recipe);
  const auto on_line = [&](const std::string& line) { reader.line(line); };
  const auto keep_going = [&] { return reader.keep_going(); };
  if (hooks.team) run_worker_with(*hooks.team, folder + "/job", folder, on_line, keep_going);
  else run_worker(folder + "/job", folder, thread_count(o.threads), on_line, keep_going);
  read_results(*state, data, folder);
  map_dataset(*state, data);
  return state;
}

}  // namespace

bool wants_maps(const Dataset& data, const MapsOptions& options) {
  const MapKind kind = with_preset(options).kind;
  if (kind == MapKind::none || data.features.empty()) return false;
  return kind == MapKind::mlp ||
         std::any_of(data.features.begin(), data.features.end(), [](const Feature& f) { return f.columns.size() > 1; });
}

LearnedMaps learn_maps(const Dataset& data, const MapsOptions& options, const MapsHooks& hooks) {
  check(data);
  const MapsOptions o = with_preset(options);
  if (!wants_maps(data, o))
    throw InputError(
        "no feature has more than one column, so there is no map to learn; --maps mlp learns maps of single columns "
        "too");
  const ScratchFolder scratch;
  const std::string folder = hooks.folder.empty() ? scratch.path() : hooks.folder;
  const bool same_samples = data.samples() >= least_for_same_samples && !has_series(data, o);
  const std::size_t folds = o.folds > 0 ? o.folds : same_samples ? 1 : folds_by_default;
  auto state = train(data, o, folds, folder, hooks);
  if (o.folds == 0 && folds == 1 && overfits(*state)) {
    const std::string note = fmt::format(
        "the maps fit their training samples better than others ({:.3f} nats against {:.3f}): tests on the same "
        "samples would find "
        "too much, so the maps are learned in {} folds",
        state->training_gain, state->validation_gain, folds_by_default);
    if (hooks.on_note) hooks.on_note(note);
    auto folded = train(data, o, folds_by_default, folder + "/folds", hooks);
    folded->notes.insert(folded->notes.begin(), note);
    state = std::move(folded);
  }
  state->schema = schema_of(data);
  return LearnedMaps(std::move(state));
}

}  // namespace macmi
