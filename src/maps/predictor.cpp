#include "maps/predictor.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/parallel.hpp"
#include "macmi/error.hpp"
#include "maps/choose_recipe.hpp"
#include "maps/learned_state.hpp"
#include "maps/network/evaluate.hpp"

namespace macmi::maps {
namespace {

/// Penalties, nats per unit of weight: below the first no feature is given up, beyond the last none is kept.
constexpr double first_penalty = 1e-4, last_penalty = 0.1;
/// A path takes two trainings' time: one to learn, one to give features up.
constexpr std::size_t path_length = 2;
constexpr double counts_as_zero = 0.02;  // of a weight that began as one
/// Networks whose predictions are averaged, each with held-out samples of its own: what one network makes of a few
/// hundred cases depends much on its beginning.
constexpr std::size_t networks_averaged = 2;

Dataset only_features(const Dataset& data, std::span<const std::size_t> features) {
  Dataset part;
  part.source = data.source;
  part.target = data.target;
  part.units = data.units;
  part.rows = data.rows;
  part.missing = data.missing;
  part.layout = data.layout;
  part.health.duplicates = data.health.duplicates;
  for (const std::size_t f : features) part.features.push_back(data.features[f]);
  // Groups of equal features, of those that are here.
  for (auto& group : part.health.duplicates)
    std::erase_if(group, [&](const std::string& name) {
      return std::none_of(part.features.begin(), part.features.end(), [&](const Feature& f) { return f.name == name; });
    });
  std::erase_if(part.health.duplicates, [](const auto& group) { return group.size() < 2; });
  return part;
}

/// The input of several trainings: coding learned on the training samples, applied to all.
LearnedMaps::State prepare(const Dataset& data, const std::vector<std::size_t>& train,
                           const std::vector<std::size_t>& test, const MapsOptions& options, std::size_t networks) {
  MapsOptions o = with_preset(options);
  o.lambda = 0;
  o.mask_rule = static_cast<int>(MaskRule::all_kept);
  if (o.kind == MapKind::none) o.kind = MapKind::automatic;
  LearnedMaps::State s;
  s.options = o;
  const Dataset known = take_samples(data, train);
  s.coding = plan_coding(known, o.kind, choose_map_dim(data, o));
  s.architecture = choose_architecture(data, s.coding, o);
  s.features = code_features(data, s.coding, s.architecture);
  s.target = code_target(data, s.coding, s.architecture.family);
  for (std::size_t network = 0; network < networks; ++network) {
    const ModelRows within = split_rows(known, {}, o.holdout, o.seed + network)[0];
    ModelRows& rows = s.rows.emplace_back();
    for (const std::int32_t r : within.train)
      rows.train.push_back(static_cast<std::int32_t>(train[static_cast<std::size_t>(r)]));
    for (const std::int32_t r : within.valid)
      rows.valid.push_back(static_cast<std::int32_t>(train[static_cast<std::size_t>(r)]));
    for (const std::size_t r : test) rows.apply.push_back(static_cast<std::int32_t>(r));
  }
  s.recipe = choose_recipe(s.architecture, s.rows[0].train.size(), o);
  s.recipe.masks = MaskRule::all_kept;
  s.recipe.most_kept = s.architecture.features.size();
  s.recipe.keep = KeptWeights::best_validated;  // no dropout, no regulariser: held-out samples tell when to stop
  return s;
}

void check_target(const Dataset& data) {
  const bool two = data.target_is_categorical() && data.classes().size() == 2;
  const bool number = !data.target_is_categorical() && data.target.columns.size() == 1;
  if (!two && !number)
    throw InputError(fmt::format("'{}': predictors are compared for two classes or one number", data.target.name));
}

}  // namespace

Predicted fit_predictor(const Dataset& data, std::span<const std::size_t> features, const PredictorRows& rows,
                        const MapsOptions& options, const MapsHooks& hooks) {
  check_target(data);
  Predicted predicted;
  const Dataset part = only_features(data, features);
  if (features.empty()) {
    predicted.score.assign(rows.test.size(), 0);
    predicted.gain.assign(rows.test.size(), 0);
    return predicted;
  }
  const LearnedMaps::State s = prepare(part, rows.train, rows.test, options, networks_averaged);
  const TrainingJob job = job_of(s);
  const std::vector<TrainedNetwork> trained =
      run_tournament(job, {options.threads, "", nullptr, hooks.on_progress, {}});
  const std::size_t width = s.architecture.predictions();
  std::vector<float> predictions(rows.test.size() * width), constant(width);
  const auto add = [](std::span<const float> values, std::vector<float>& sum) {
    for (std::size_t i = 0; i < sum.size(); ++i) sum[i] += values[i] / static_cast<float>(networks_averaged);
  };
  for (std::size_t network = 0; network < networks_averaged; ++network) {
    Objective networks(s.architecture);
    networks.load(trained[network].parameters);
    add(predict_samples(networks, job.samples, as_rows(s.rows[network].apply)), predictions);
    add(trained[network].marginal, constant);
  }
  Distribution q(s.architecture.family, width), best_constant(s.architecture.family, width);
  best_constant.set(constant);
  for (std::size_t i = 0; i < rows.test.size(); ++i) {
    const std::span<const float> own = std::span<const float>(predictions).subspan(i * width, width);
    const std::span<const float> y = job.samples.target.subspan(rows.test[i], 1);
    q.set(own);
    predicted.score.push_back(own[0]);
    predicted.gain.push_back(q.log_likelihood(y) - best_constant.log_likelihood(y));
  }
  return predicted;
}

std::vector<PathPoint> l1_path(const Dataset& data, std::span<const std::size_t> rows, const MapsOptions& options,
                               const MapsHooks& hooks) {
  check_target(data);
  LearnedMaps::State s = prepare(data, {rows.begin(), rows.end()}, {}, options, 1);
  s.architecture.scaled = true;
  s.recipe.first_penalty = first_penalty;
  s.recipe.last_penalty = last_penalty;
  s.recipe.epochs *= path_length;
  s.recipe.last_rate = s.recipe.learning_rate /= 2;  // constant: features are given up to the end
  const TrainingJob job = job_of(s);
  Trainer trainer(job, s.recipe, s.rows[0], base::StreamKey(s.recipe.seed).with("l1 path"),
                  base::thread_count(options.threads));
  const auto keep_going = [&] { return !hooks.on_progress || hooks.on_progress({}); };
  TrainingState state = trainer.start();
  std::vector<PathPoint> path;
  for (std::int64_t epoch = 1; epoch <= static_cast<std::int64_t>(s.recipe.epochs) && !state.diverged; ++epoch) {
    trainer.advance(state, epoch, {}, keep_going);
    PathPoint& point = path.emplace_back();
    point.penalty = trainer.penalty(static_cast<double>(epoch) / static_cast<double>(s.recipe.epochs));
    point.validation = state.validation;
    point.weights.assign(data.features.size(), 0);
    for (std::size_t f = 0; f < s.coding.features.size(); ++f)
      point.weights[s.coding.features[f].feature] = state.parameters[f];
  }
  return path;
}

L1Ranking rank_by_path(const std::vector<PathPoint>& path) {
  L1Ranking ranking;
  if (path.empty()) return ranking;
  const std::size_t m = path.front().weights.size();
  const auto there = [&](const PathPoint& point, std::size_t f) { return std::abs(point.weights[f]) > counts_as_zero; };
  std::vector<std::pair<std::size_t, double>> last(
      m);  // the last point with it, and its largest weight after the beginning
  const PathPoint* best = nullptr;
  for (std::size_t p = 0; p < path.size(); ++p) {
    for (std::size_t f = 0; f < m; ++f)
      if (there(path[p], f)) last[f] = {p + 1, std::abs(path[p].weights[f])};
    if (path[p].penalty > 0 && (best == nullptr || path[p].validation > best->validation)) best = &path[p];
  }
  for (std::size_t f = 0; f < m; ++f) ranking.order.push_back(f);
  std::stable_sort(ranking.order.begin(), ranking.order.end(),
                   [&](std::size_t a, std::size_t b) { return last[a] > last[b]; });
  if (best != nullptr)
    for (std::size_t f = 0; f < m; ++f) ranking.best_size += there(*best, f);
  return ranking;
}

}  // namespace macmi::maps
