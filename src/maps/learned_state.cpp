#include "maps/learned_state.hpp"

#include <fmt/format.h>

#include <cmath>

#include "base/parallel.hpp"
#include "maps/network/evaluate.hpp"
#include "maps/surrogate_scores.hpp"
#include "maps/training/feature_divergence.hpp"

namespace macmi::maps {
namespace {

/// Nats per sample that training may gain over held-out samples beyond the noise of the comparison.
constexpr double tolerated_gap = 0.02;
constexpr double clear = 2;  // standard errors

const char* encoder_name(Encoder encoder) {
  return encoder == Encoder::mlp ? "mlp" : encoder == Encoder::gru ? "gru" : "as it is";
}

/// The samples that a model is applied to, seen through its maps, and what each map says.
TrainedModel model_of(const TrainingJob& job, std::size_t j, TrainedNetwork trained) {
  Objective networks(job.architecture);
  networks.load(trained.parameters);
  TrainedModel model;
  model.maps = map_samples(networks, job.samples, as_rows(job.rows[j].apply));
  model.divergence = divergence_of_features(networks, job.samples, as_rows(job.rows[j].train), job.recipe);
  model.parameters = std::move(trained.parameters);
  model.marginal = std::move(trained.marginal);
  model.validation_gain = trained.validation.gain, model.validation_error = trained.validation.gain_error;
  model.training_gain = trained.training.gain, model.training_error = trained.training.gain_error;
  model.curve = std::move(trained.curve);
  return model;
}

void summarise(LearnedMaps::State& s, const Dataset& data) {
  s.summaries.resize(data.features.size());
  for (std::size_t f = 0; f < s.coding.features.size(); ++f) {
    MapSummary& summary = s.summaries[s.coding.features[f].feature];
    summary.name = data.features[s.coding.features[f].feature].name;
    summary.encoder = encoder_name(s.coding.features[f].shape.encoder);
    summary.dimensions = s.coding.features[f].shape.outputs;
    for (const TrainedModel& model : s.models)
      summary.divergence += model.divergence[f] / static_cast<double>(s.models.size());
    summary.found_nothing = found_nothing(summary.divergence);
  }
  for (const SetAside& aside : s.coding.set_aside) {
    MapSummary& summary = s.summaries[aside.feature];
    if (aside.equal_to)
      summary = s.summaries[*aside.equal_to];
    else
      summary.encoder = "none: it never changes", summary.found_nothing = true;
    summary.name = data.features[aside.feature].name;
  }
}

}  // namespace

TrainingJob job_of(const LearnedMaps::State& s) {
  TrainingJob job{s.architecture, s.recipe, {}, s.rows};
  job.samples.samples = s.target.size() / target_numbers(s.architecture);
  for (std::size_t g = 0; g < s.features.values.size(); ++g) {
    job.samples.values.emplace_back(s.features.values[g]);
    job.samples.present.emplace_back(s.features.present[g]);
  }
  job.samples.known = s.features.known;
  job.samples.target = s.target;
  return job;
}

void take_results(LearnedMaps::State& s, const Dataset& data, std::vector<TrainedNetwork> trained) {
  const double all = static_cast<double>(data.samples());
  const TrainingJob job = job_of(s);
  s.models.resize(trained.size());
  base::parallel_for(trained.size(), 1, s.options.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t j = begin; j < end; ++j) s.models[j] = model_of(job, j, std::move(trained[j]));
  });
  double variance = 0;
  for (std::size_t j = 0; j < s.models.size(); ++j) {
    TrainedModel& model = s.models[j];
    model.curve.label = s.folds.empty() ? "training" : fmt::format("fold {}", j + 1);
    const double weight = static_cast<double>(s.rows[j].apply.size()) / all;
    s.validation_gain += weight * model.validation_gain;
    s.training_gain += weight * model.training_gain;
    variance += weight * weight *
                (model.validation_error * model.validation_error + model.training_error * model.training_error);
  }
  s.gap_error = std::sqrt(variance);
  summarise(s, data);
}

bool overfits(const LearnedMaps::State& s) {
  return s.training_gain - s.validation_gain > tolerated_gap + clear * s.gap_error;
}

}  // namespace macmi::maps

namespace macmi {

LearnedMaps::LearnedMaps(std::unique_ptr<State> state) : state_(std::move(state)) {}
LearnedMaps::LearnedMaps(LearnedMaps&&) noexcept = default;
LearnedMaps& LearnedMaps::operator=(LearnedMaps&&) noexcept = default;
LearnedMaps::~LearnedMaps() = default;
const Dataset& LearnedMaps::mapped() const {
  return state_->mapped;
}
const std::vector<std::int32_t>& LearnedMaps::folds() const {
  return state_->folds;
}
const std::vector<MapSummary>& LearnedMaps::features() const {
  return state_->summaries;
}
const std::vector<std::string>& LearnedMaps::notes() const {
  return state_->notes;
}
std::vector<TrainingCurve> LearnedMaps::curves() const {
  std::vector<TrainingCurve> all;
  for (const maps::TrainedModel& model : state_->models) all.push_back(model.curve);
  return all;
}
double LearnedMaps::validation_gain() const {
  return state_->validation_gain;
}
double LearnedMaps::training_gain() const {
  return state_->training_gain;
}

std::shared_ptr<const SurrogateScores> LearnedMaps::scores() const {
  const State& s = *state_;
  if (s.folds.empty() || s.architecture.family != maps::Family::bernoulli) return nullptr;
  maps::SurrogateSamples samples;
  samples.samples = s.folds.size();
  samples.width = s.architecture.surrogate_width;
  samples.predictions = s.architecture.predictions();
  samples.activation = s.architecture.activation;
  samples.most_kept = s.recipe.most_kept;
  samples.first_column = {0};
  for (const maps::FeatureCoding& feature : s.coding.features)
    samples.first_column.push_back(samples.first_column.back() + feature.shape.outputs);
  for (const std::optional<std::uint32_t>& place : maps::places_of(s.coding))
    samples.place.push_back(place ? static_cast<std::int64_t>(*place) : -1);
  const auto layers = static_cast<std::ptrdiff_t>(maps::surrogate_parameters(s.architecture));
  samples.model.resize(samples.samples);
  samples.maps.resize(samples.samples * samples.columns());
  for (std::size_t j = 0; j < s.models.size(); ++j) {
    const maps::TrainedModel& model = s.models[j];
    samples.models.push_back({{model.parameters.end() - layers, model.parameters.end()}, model.marginal});
    for (std::size_t r = 0; r < s.rows[j].apply.size(); ++r) {
      const auto i = static_cast<std::size_t>(s.rows[j].apply[r]);
      samples.model[i] = static_cast<std::int32_t>(j);
      std::copy_n(model.maps.begin() + static_cast<std::ptrdiff_t>(r * samples.columns()), samples.columns(),
                  samples.maps.begin() + static_cast<std::ptrdiff_t>(i * samples.columns()));
    }
  }
  return std::make_shared<const SurrogateScores>(std::move(samples));
}

void LearnedMaps::save(const std::string& path) const {
  const State& s = *state_;
  DataSchema schema = s.schema;
  maps::Coding coding = s.coding;
  // Features without a map of their own are not in the file.
  for (auto aside = coding.set_aside.rbegin(); aside != coding.set_aside.rend(); ++aside) {
    schema.features.erase(schema.features.begin() + static_cast<std::ptrdiff_t>(aside->feature));
    for (maps::FeatureCoding& f : coding.features) f.feature -= f.feature > aside->feature;
  }
  maps::write_model({schema, s.architecture, coding, s.models.front().parameters, s.models.front().marginal,
                     s.models.front().divergence},
                    path);
}

}  // namespace macmi
