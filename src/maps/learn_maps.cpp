#include <fmt/format.h>

#include <algorithm>

#include "macmi/error.hpp"
#include "maps/choose_recipe.hpp"
#include "maps/learned_state.hpp"
#include "maps/mapped_dataset.hpp"
#include "maps/training/tournament.hpp"

namespace macmi::maps {
namespace {

constexpr std::size_t least_samples = 60;
/// Small samples and recurrent networks fit noise that hardly shows in a likelihood averaged over features, but does in
/// tests (docs/benchmarks/maps_type1.md).
constexpr std::size_t least_for_same_samples = 4000;
constexpr std::size_t folds_by_default = 2;

void check(const Dataset& data) {
  if (!data.has_target()) throw InputError("there is no target: name its column with --target");
  if (data.samples() < least_samples)
    throw InputError(fmt::format(
        "{}: too few samples to learn feature maps: {}, and at least {} are needed (--maps none works with fewer)",
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

  TrainingPlace place{o.threads, folder, hooks.team, hooks.on_progress, {}};
  place.on_note = [&](const std::string& note) {
    state->notes.push_back(note);
    if (hooks.on_note) hooks.on_note(note);
  };
  take_results(*state, data, run_tournament(job_of(*state), place));
  map_dataset(*state, data);
  return state;
}

}  // namespace
}  // namespace macmi::maps

namespace macmi {

bool wants_maps(const Dataset& data, const MapsOptions& options) {
  const MapKind kind = maps::with_preset(options).kind;
  if (kind == MapKind::none || data.features.empty()) return false;
  return kind == MapKind::mlp ||
         std::any_of(data.features.begin(), data.features.end(), [](const Feature& f) { return f.columns.size() > 1; });
}

LearnedMaps learn_maps(const Dataset& data, const MapsOptions& options, const MapsHooks& hooks) {
  maps::check(data);
  const MapsOptions o = maps::with_preset(options);
  if (!wants_maps(data, o))
    throw InputError(
        "no feature has more than one column, so there is no map to learn; --maps mlp learns maps of single columns "
        "too");
  const bool same_samples = data.samples() >= maps::least_for_same_samples && !maps::has_series(data, o);
  const std::size_t folds = o.folds > 0 ? o.folds : same_samples ? 1 : maps::folds_by_default;
  auto state = maps::train(data, o, folds, hooks.folder, hooks);
  if (o.folds == 0 && folds == 1 && maps::overfits(*state)) {
    const std::string note = fmt::format(
        "the maps fit their training samples better than others ({:.3f} nats against {:.3f}): tests on the same "
        "samples would find "
        "too much, so the maps are learned in {} folds",
        state->training_gain, state->validation_gain, maps::folds_by_default);
    if (hooks.on_note) hooks.on_note(note);
    auto folded =
        maps::train(data, o, maps::folds_by_default, hooks.folder.empty() ? "" : hooks.folder + "/folds", hooks);
    folded->notes.insert(folded->notes.begin(), note);
    state = std::move(folded);
  }
  state->schema = schema_of(data);
  return LearnedMaps(std::move(state));
}

}  // namespace macmi
