#include "learn/learned_state.hpp"

#include <fmt/format.h>

#include <cmath>
#include <optional>

#include "base/parallel.hpp"
#include "data/mapped_file.hpp"
#include "learn/surrogate_scores.hpp"
#include "learn/worker_process.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

/// Nats per sample that training may gain over held-out samples beyond the noise of the comparison.
constexpr double tolerated_gap = 0.02;
constexpr double clear = 2;  // standard errors

const char* encoder_name(Encoder encoder) {
  return encoder == Encoder::mlp ? "mlp" : encoder == Encoder::gru ? "gru" : "as it is";
}

TrainingCurve get_curve(const ArrayFile& file, std::string label) {
  const auto values = [&](const char* name) {
    return std::vector<double>(file.doubles(name).begin(), file.doubles(name).end());
  };
  return {std::move(label), values("looked_after"), values("trained"), values("validated"),
          static_cast<double>(file.integer("best_epoch"))};
}

}  // namespace

void put_rows(ArrayFileWriter& job, const std::vector<ModelRows>& rows) {
  job.put_integer("models", static_cast<std::int64_t>(rows.size()));
  for (std::size_t j = 0; j < rows.size(); ++j) {
    job.put(fmt::format("train{}", j), std::span<const std::int32_t>(rows[j].train));
    job.put(fmt::format("valid{}", j), std::span<const std::int32_t>(rows[j].valid));
    job.put(fmt::format("apply{}", j), std::span<const std::int32_t>(rows[j].apply));
  }
}

void put_samples(ArrayFileWriter& job, const LearnedMaps::State& s) {
  put(job, s.architecture);
  job.put_integer(
      "samples", static_cast<std::int64_t>(s.target.size() / std::max<std::size_t>(1, s.coding.target.columns.size())));
  for (std::size_t g = 0; g < s.features.values.size(); ++g) {
    job.put(fmt::format("x{}", g), std::span<const float>(s.features.values[g]));
    if (!s.features.present[g].empty())
      job.put(fmt::format("steps{}", g), std::span<const std::uint8_t>(s.features.present[g]));
  }
  if (!s.features.known.empty()) job.put("known", std::span<const std::uint8_t>(s.features.known));
  job.put("y", std::span<const float>(s.target));
}

void read_results(LearnedMaps::State& s, const Dataset& data, const std::string& folder) {
  const double all = static_cast<double>(data.samples());
  double variance = 0;
  for (std::size_t j = 0; j < s.rows.size(); ++j) {
    const std::string path = fmt::format("{}/result{}", folder, j);
    const MappedFile mapped(path);
    const ArrayFile file = ArrayFile::parse(mapped.bytes(), path);
    const auto copy = [&](const char* name) {
      return std::vector<float>(file.floats(name).begin(), file.floats(name).end());
    };
    TrainedModel model{copy("parameters"), copy("marginal"), copy("maps"), {}, 0, 0, 0, 0, {}};
    model.divergence.assign(file.doubles("divergence").begin(), file.doubles("divergence").end());
    const auto likelihoods = file.doubles("likelihoods");
    model.validation_gain = likelihoods[1], model.validation_error = likelihoods[2];
    model.training_gain = likelihoods[4], model.training_error = likelihoods[5];
    model.curve = get_curve(file, s.folds.empty() ? "training" : fmt::format("fold {}", j + 1));
    const double weight = static_cast<double>(s.rows[j].apply.size()) / all;
    s.validation_gain += weight * model.validation_gain;
    s.training_gain += weight * model.training_gain;
    variance += weight * weight *
                (model.validation_error * model.validation_error + model.training_error * model.training_error);
    s.models.push_back(std::move(model));
  }
  s.gap_error = std::sqrt(variance);
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

bool overfits(const LearnedMaps::State& s) {
  return s.training_gain - s.validation_gain > tolerated_gap + clear * s.gap_error;
}

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
  for (const TrainedModel& model : state_->models) all.push_back(model.curve);
  return all;
}
double LearnedMaps::validation_gain() const {
  return state_->validation_gain;
}
double LearnedMaps::training_gain() const {
  return state_->training_gain;
}

std::vector<LikelihoodGain> LearnedMaps::gains(const std::vector<GainQuestion>& questions) const {
  const State& s = *state_;
  const std::size_t m = s.coding.features.size();
  std::vector<std::optional<std::size_t>> place(m + s.coding.set_aside.size());  // none: a constant
  for (std::size_t f = 0; f < m; ++f) place[s.coding.features[f].feature] = f;
  for (const SetAside& aside : s.coding.set_aside)
    if (aside.equal_to) place[aside.feature] = place[*aside.equal_to];
  std::vector<LikelihoodGain> gains(questions.size(), {std::nan(""), std::nan("")});
  std::vector<std::size_t> asked;
  std::vector<std::uint8_t> with, without;
  for (std::size_t q = 0; q < questions.size(); ++q) {
    if (questions[q].given.size() + 1 > s.recipe.most_kept) continue;  // more than the surrogate ever saw at once
    asked.push_back(q);
    std::vector<std::uint8_t> mask(m, 0);
    for (const std::size_t f : questions[q].given)
      if (place[f]) mask[*place[f]] = 1;
    without.insert(without.end(), mask.begin(), mask.end());
    if (const auto own = place[questions[q].feature]) mask[*own] = 1;
    with.insert(with.end(), mask.begin(), mask.end());
  }
  if (asked.empty()) return gains;
  ArrayFileWriter job;
  job.put_text("kind", "gains");
  put_samples(job, s);
  job.put_integer("models", static_cast<std::int64_t>(s.models.size()));
  for (std::size_t j = 0; j < s.models.size(); ++j) {
    job.put(fmt::format("parameters{}", j), std::span<const float>(s.models[j].parameters));
    job.put(fmt::format("marginal{}", j), std::span<const float>(s.models[j].marginal));
    // With folds a model has seen nothing of the samples it is applied to; without, nothing of the validation samples.
    job.put(fmt::format("held{}", j),
            std::span<const std::int32_t>(s.folds.empty() ? s.rows[j].valid : s.rows[j].apply));
  }
  job.put("with", std::span<const std::uint8_t>(with));
  job.put("without", std::span<const std::uint8_t>(without));
  const ScratchFolder scratch;
  job.write(scratch.path() + "/job");
  run_worker(
      scratch.path() + "/job", scratch.path(), 1, [](const std::string&) {}, [] { return true; });
  const MappedFile mapped(scratch.path() + "/result");
  const ArrayFile file = ArrayFile::parse(mapped.bytes(), "the surrogate's gains");
  for (std::size_t a = 0; a < asked.size(); ++a) gains[asked[a]] = {file.doubles("gain")[a], file.doubles("error")[a]};
  return gains;
}

std::shared_ptr<const SurrogateScores> LearnedMaps::scores() const {
  const State& s = *state_;
  if (s.folds.empty() || s.architecture.family != Family::bernoulli) return nullptr;
  SurrogateSamples samples;
  samples.samples = s.folds.size();
  samples.width = s.architecture.surrogate_width;
  samples.predictions = s.architecture.predictions();
  samples.activation = s.architecture.activation;
  samples.most_kept = s.recipe.most_kept;
  samples.first_column = {0};
  samples.place.assign(s.summaries.size(), -1);
  for (std::size_t f = 0; f < s.coding.features.size(); ++f) {
    samples.first_column.push_back(samples.first_column.back() + s.coding.features[f].shape.outputs);
    samples.place[s.coding.features[f].feature] = static_cast<std::int64_t>(f);
  }
  for (const SetAside& aside : s.coding.set_aside)
    if (aside.equal_to) samples.place[aside.feature] = samples.place[*aside.equal_to];
  const auto layers = static_cast<std::ptrdiff_t>(surrogate_parameters(s.architecture));
  samples.model.resize(samples.samples);
  samples.maps.resize(samples.samples * samples.columns());
  for (std::size_t j = 0; j < s.models.size(); ++j) {
    const TrainedModel& model = s.models[j];
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
  Coding coding = s.coding;
  // Features without a map of their own are not in the file.
  for (auto aside = coding.set_aside.rbegin(); aside != coding.set_aside.rend(); ++aside) {
    schema.features.erase(schema.features.begin() + static_cast<std::ptrdiff_t>(aside->feature));
    for (FeatureCoding& f : coding.features) f.feature -= f.feature > aside->feature;
  }
  write_model({schema, s.architecture, coding, s.models.front().parameters, s.models.front().marginal,
               s.models.front().divergence, fmt::format("OpenBLAS kernels {}", blas_kernels())},
              path);
}

}  // namespace macmi
