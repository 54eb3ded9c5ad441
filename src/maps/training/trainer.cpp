#include "maps/training/trainer.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "base/random_permutation.hpp"
#include "base/vector/elementary.hpp"
#include "macmi/error.hpp"
#include "maps/training/draw_batch.hpp"

namespace macmi::maps {
namespace {

constexpr double scale_rate = 0.1;       // of the proximal steps of feature scales
constexpr double without_penalty = 0.2;  // of the training
constexpr std::int64_t looks = 25;       // at the validation samples, over a whole training
constexpr std::size_t chunk = 2048;      // samples evaluated at once without gradients

std::vector<float> targets_of(const TrainingJob& job, std::span<const std::uint32_t> rows) {
  const std::size_t width = target_numbers(job.architecture);
  std::vector<float> targets;
  for (const std::uint32_t row : rows)
    for (std::size_t d = 0; d < width; ++d) targets.push_back(job.samples.target[row * width + d]);
  return targets;
}

}  // namespace

std::vector<std::uint32_t> as_rows(const std::vector<std::int32_t>& rows) {
  return {rows.begin(), rows.end()};
}

Trainer trainer_of(const TrainingJob& job, const TrainingTask& task, std::size_t threads) {
  Recipe recipe = job.recipe;
  recipe.learning_rate *= task.rate_factor;
  recipe.weight_decay *= task.decay_factor;
  const base::StreamKey key = base::StreamKey(recipe.seed)
                                  .with("training")
                                  .with(task.model)
                                  .with(task.candidate)
                                  .with(static_cast<std::uint64_t>(task.attempt));
  return Trainer(job, recipe, job.rows[task.model], key, threads);
}

Trainer::Trainer(const TrainingJob& job, const Recipe& recipe, const ModelRows& rows, const base::StreamKey& key,
                 std::size_t threads)
    : job_(job),
      recipe_(recipe),
      train_rows_(as_rows(rows.train)),
      validation_rows_(as_rows(rows.valid)),
      key_(key),
      objective_(job.architecture),
      marginal_(marginal_prediction(job.architecture, targets_of(job, train_rows_))),
      gradient_(parameter_count(job.architecture)) {
  objective_.maps().set_threads(threads);
}

TrainingState Trainer::start() const {
  TrainingState state;
  state.parameters = initial_parameters(job_.architecture, key_);
  state.moments = AdamMoments(state.parameters.size());
  state.kept_parameters = state.parameters;
  state.kept_validation = -std::numeric_limits<double>::infinity();
  return state;
}

void Trainer::step(TrainingState& s, std::int64_t step, std::int64_t steps) {
  const double share = static_cast<double>(step) / static_cast<double>(steps);
  const double rate = cosine_rate(recipe_.learning_rate, recipe_.last_rate, share);
  const std::size_t scales = job_.architecture.scaled ? job_.architecture.features.size() : 0;
  const std::vector<float> before(s.parameters.begin(), s.parameters.begin() + static_cast<std::ptrdiff_t>(scales));
  adam_ascend(s.parameters, gradient_, s.moments, step, rate, recipe_.weight_decay);
  // Feature scales take proximal gradient steps instead, so that the l1 norm makes zeros and means what it says.
  const auto threshold = static_cast<float>(scale_rate * penalty(share));
  for (std::size_t f = 0; f < scales; ++f) {
    const float moved = before[f] + static_cast<float>(scale_rate) * gradient_[f];
    s.parameters[f] = std::copysign(std::max(0.0f, std::fabs(moved) - threshold), moved);
  }
}

double Trainer::penalty(double share) const {
  if (recipe_.last_penalty <= 0 || share < without_penalty) return 0;
  const double exponent = (share - without_penalty) / (1 - without_penalty);
  return recipe_.first_penalty *
         base::exact_exp(exponent * base::exact_log(recipe_.last_penalty / recipe_.first_penalty));
}

Trainer::EpochMeans Trainer::run_epoch(TrainingState& state, const std::function<bool()>& keep_going) {
  const Architecture& a = job_.architecture;
  MaskSampler sampler(recipe_.masks, a.features.size(), recipe_.most_kept);
  base::RandomStream random(key_.with("epoch").with(static_cast<std::uint64_t>(state.epoch)));
  const std::size_t n = train_rows_.size(), batches = std::max<std::size_t>(1, (n + recipe_.batch / 2) / recipe_.batch);
  std::vector<std::uint32_t> order = base::random_permutation(n, random);
  for (std::uint32_t& row : order) row = train_rows_[row];
  EpochMeans sum;
  for (std::size_t b = 0; b < batches; ++b) {
    const std::size_t begin = n * b / batches, end = n * (b + 1) / batches;
    const TrainingBatch batch = draw_batch(
        job_.samples,
        {order.begin() + static_cast<std::ptrdiff_t>(begin), order.begin() + static_cast<std::ptrdiff_t>(end)}, a,
        {sampler, recipe_.cover}, random, recipe_.lambda > 0);
    objective_.load(state.parameters);
    const ObjectiveValue value = objective_.evaluate(job_.samples, batch, recipe_.lambda, gradient_);
    sum.objective += value.objective * static_cast<double>(end - begin);
    sum.log_likelihood += value.log_likelihood * static_cast<double>(end - begin);
    if (!std::isfinite(sum.objective)) return sum;
    const auto per_epoch = static_cast<std::int64_t>(batches);
    step(state, state.epoch * per_epoch + static_cast<std::int64_t>(b),
         static_cast<std::int64_t>(recipe_.epochs) * per_epoch);
    if (keep_going && !keep_going()) throw Cancelled();
  }
  return {sum.objective / static_cast<double>(n), sum.log_likelihood / static_cast<double>(n)};
}

void Trainer::look_at_validation(TrainingState& state, double trained) {
  state.validation = validation(state.parameters).mean;
  state.diverged = !std::isfinite(state.validation);
  state.looked_after.push_back(static_cast<double>(state.epoch));
  state.trained.push_back(trained);
  state.validated.push_back(state.validation);
  if (!is_kept(state)) return;
  state.kept_validation = state.validation;
  state.kept_epoch = state.epoch;
  state.kept_parameters = state.parameters;
}

bool Trainer::is_kept(const TrainingState& state) const {
  if (state.diverged) return false;
  if (recipe_.keep == KeptWeights::last) return true;
  return 2 * state.epoch >= static_cast<std::int64_t>(recipe_.epochs) && state.validation > state.kept_validation;
}

void Trainer::advance(TrainingState& state, std::int64_t epoch,
                      const std::function<void(const TrainingState&)>& after_epoch,
                      const std::function<bool()>& keep_going) {
  const std::int64_t between = std::max<std::int64_t>(1, static_cast<std::int64_t>(recipe_.epochs) / looks);
  while (state.epoch < epoch && !state.diverged) {
    const EpochMeans means = run_epoch(state, keep_going);
    state.objective = means.objective;
    state.diverged = !std::isfinite(state.objective);
    ++state.epoch;
    if (!state.diverged && (state.epoch % between == 0 || state.epoch == epoch))
      look_at_validation(state, means.log_likelihood);
    if (after_epoch) after_epoch(state);
  }
}

Likelihood Trainer::likelihood(std::span<const float> parameters, std::span<const std::uint32_t> all_rows) {
  const Architecture& a = job_.architecture;
  objective_.load(parameters);
  MaskSampler sampler(recipe_.masks, a.features.size(), recipe_.most_kept);
  base::RandomStream random(base::StreamKey(recipe_.seed).with("validation masks"));
  const int repeats = recipe_.cover ? 1 : 4;  // masks per sample
  const std::size_t width = target_numbers(a);
  Distribution q(a.family, a.predictions()), constant(a.family, a.predictions());
  constant.set(marginal_);
  double sum = 0, gains = 0;
  std::vector<double> gain;
  for (std::size_t begin = 0; begin < all_rows.size(); begin += chunk) {
    const auto rows = all_rows.subspan(begin, std::min(chunk, all_rows.size() - begin));
    std::vector<float> maps(rows.size() * a.map_columns());
    objective_.maps().forward(job_.samples, rows, maps.data(), false);
    std::vector<double> mean(rows.size(), 0.0);
    const auto target = [&](std::size_t k) { return job_.samples.target.subspan(rows[k] * width, width); };
    for (int r = 0; r < repeats; ++r) {
      const MaskRows masks = draw_masks({sampler, recipe_.cover}, random, job_.samples, rows);
      std::vector<SurrogateRow> asked;
      std::vector<double> masks_of(rows.size(), 0.0), of_sample(rows.size(), 0.0);
      for (std::uint32_t mask = 0; mask < masks.size(); ++mask) asked.push_back({mask, masks.sample[mask]});
      const std::vector<float> predictions = objective_.predict(asked, masks, maps.data());
      for (std::size_t mask = 0; mask < masks.size(); ++mask) {
        q.set(std::span(predictions).subspan(mask * a.predictions(), a.predictions()));
        of_sample[masks.sample[mask]] += q.log_likelihood(target(masks.sample[mask]));
        masks_of[masks.sample[mask]] += 1;
      }
      for (std::size_t k = 0; k < rows.size(); ++k) mean[k] += of_sample[k] / masks_of[k] / repeats;
    }
    for (std::size_t k = 0; k < rows.size(); ++k) {
      sum += mean[k];
      gain.push_back(mean[k] - constant.log_likelihood(target(k)));
      gains += gain.back();
    }
  }
  const auto n = static_cast<double>(all_rows.size());
  double squares = 0;
  for (const double g : gain) squares += (g - gains / n) * (g - gains / n);
  return {sum / n, gains / n, std::sqrt(squares / n) / std::sqrt(n)};
}

}  // namespace macmi::maps
