#include "maps/trainer.hpp"

#include <cmath>

#include "base/random.hpp"
#include "maps/surrogate.hpp"

namespace macmi {
namespace {

constexpr double beta1 = 0.9, beta2 = 0.999, tiny = 1e-8;  // Adam (Kingma & Ba 2015)
constexpr double scale_rate = 0.1;                         // of the proximal steps of feature scales
constexpr double without_penalty = 0.2;                    // of the training
constexpr std::int64_t looks = 25;                         // at the validation samples, over a whole training
constexpr std::int64_t chunk = 4096;                       // samples evaluated at once without gradients

std::span<const float> floats_of(const at::Tensor& tensor) {
  return {tensor.data_ptr<float>(), static_cast<std::size_t>(tensor.numel())};
}

/// Mean over the masks of each sample.
at::Tensor mean_of_samples(const at::Tensor& of_masks, const TrainingBatch& batch) {
  if (!batch.mask_sample.defined()) return of_masks;
  const at::Tensor none = at::zeros({batch.target.size(0)});
  return none.index_add(0, batch.mask_sample, of_masks) /
         none.index_add(0, batch.mask_sample, at::ones_like(of_masks));
}

}  // namespace

Trainer::Trainer(const Network& network, const TrainingData& data, const Recipe& recipe, at::Tensor train_rows,
                 at::Tensor validation_rows, const StreamKey& key)
    : network_(network),
      data_(data),
      recipe_(recipe),
      train_rows_(std::move(train_rows)),
      validation_rows_(std::move(validation_rows)),
      key_(key) {
  const Architecture& a = network.architecture();
  marginal_ = marginal_prediction(a.family, a.target_width, data.target.index_select(0, train_rows_));
}

TrainingState Trainer::start() const {
  TrainingState state;
  state.parameters = network_.initial_parameters(key_);
  state.first_moment = at::zeros_like(state.parameters);
  state.second_moment = at::zeros_like(state.parameters);
  state.best_parameters = state.parameters.clone();
  state.best_validation = -std::numeric_limits<double>::infinity();
  return state;
}

/// Adam with decoupled weight decay (Loshchilov & Hutter 2019): the decay does not pass through the moments.
void Trainer::step(TrainingState& s, const at::Tensor& gradient, std::int64_t step, std::int64_t steps) const {
  const double share = static_cast<double>(step) / static_cast<double>(steps);
  const double rate =
      recipe_.last_rate + 0.5 * (recipe_.learning_rate - recipe_.last_rate) * (1 + std::cos(M_PI * share));
  const auto t = static_cast<double>(step + 1);
  s.first_moment.mul_(beta1).add_(gradient, 1 - beta1);
  s.second_moment.mul_(beta2).addcmul_(gradient, gradient, 1 - beta2);
  const at::Tensor size = (s.second_moment / (1 - std::pow(beta2, t))).sqrt_().add_(tiny);
  const auto scales =
      static_cast<std::int64_t>(network_.architecture().scaled ? network_.architecture().features.size() : 0);
  at::Tensor before;
  if (scales > 0) before = s.parameters.slice(0, 0, scales).clone();
  s.parameters.mul_(1 - rate * recipe_.weight_decay);
  s.parameters.addcdiv_(s.first_moment, size, rate / (1 - std::pow(beta1, t)));  // uphill: the objective is maximised
  if (scales == 0) return;
  // Feature scales take proximal gradient steps instead, so that the l1 norm makes zeros and means what it says.
  const at::Tensor moved = before + scale_rate * gradient.slice(0, 0, scales);
  s.parameters.slice(0, 0, scales).copy_(moved.sign() * (moved.abs() - scale_rate * penalty(share)).clamp_min(0));
}

double Trainer::penalty(double share) const {
  if (recipe_.last_penalty <= 0 || share < without_penalty) return 0;
  return recipe_.first_penalty *
         std::pow(recipe_.last_penalty / recipe_.first_penalty, (share - without_penalty) / (1 - without_penalty));
}

Trainer::EpochMeans Trainer::run_epoch(TrainingState& state) const {
  const Architecture& a = network_.architecture();
  MaskSampler sampler(recipe_.masks, a.features.size(), recipe_.most_kept);
  RandomStream random(key_.with("epoch").with(static_cast<std::uint64_t>(state.epoch)));
  const auto n = static_cast<std::size_t>(train_rows_.size(0));
  const std::vector<std::int64_t> shuffled = random_permutation(n, random);
  const at::Tensor order = train_rows_.index_select(0, as_tensor(shuffled));
  const std::size_t batches = std::max<std::size_t>(1, (n + recipe_.batch / 2) / recipe_.batch);
  EpochMeans sum;
  const double lambda = recipe_.lambda;
  for (std::size_t b = 0; b < batches; ++b) {
    const auto begin = static_cast<std::int64_t>(n * b / batches),
               end = static_cast<std::int64_t>(n * (b + 1) / batches);
    const TrainingBatch batch = 
        draw_batch(data_, order.slice(0, begin, end), a, {sampler, recipe_.cover}, random, lambda > 0);
    const at::Tensor leaf = state.parameters.detach().requires_grad_(true);
    const ObjectiveValue value = objective(network_, leaf, batch, lambda);
    const at::Tensor gradient = torch::autograd::grad({value.objective}, {leaf})[0];
    sum.objective += value.objective.item<double>() * static_cast<double>(end - begin);
    sum.log_likelihood += value.log_likelihood.item<double>() * static_cast<double>(end - begin);
    if (!std::isfinite(sum.objective)) return sum;
    const auto per_epoch = static_cast<std::int64_t>(batches);
    const at::NoGradGuard no_gradients;
    step(state, gradient, state.epoch * per_epoch + static_cast<std::int64_t>(b),
         static_cast<std::int64_t>(recipe_.epochs) * per_epoch);
  }
  return {sum.objective / static_cast<double>(n), sum.log_likelihood / static_cast<double>(n)};
}

void Trainer::advance(TrainingState& state, std::int64_t epoch,
                      const std::function<bool(const TrainingState&)>& after_epoch) const {
  const auto epochs = static_cast<std::int64_t>(recipe_.epochs);
  const std::int64_t between = std::max<std::int64_t>(1, epochs / looks);
  while (state.epoch < epoch && !state.diverged) {
    const EpochMeans means = run_epoch(state);
    state.objective = means.objective;
    state.diverged = !std::isfinite(state.objective);
    ++state.epoch;
    if (!state.diverged && (state.epoch % between == 0 || state.epoch == epoch)) {
      state.validation = validation(state.parameters).mean;
      state.diverged = !std::isfinite(state.validation);
      state.looked_after.push_back(static_cast<double>(state.epoch));
      state.trained.push_back(means.log_likelihood);
      state.validated.push_back(state.validation);
      if (2 * state.epoch >= epochs && state.validation > state.best_validation) {
        state.best_validation = state.validation;
        state.best_epoch = state.epoch;
        state.best_parameters = state.parameters.clone();
      }
    }
    if (after_epoch && !after_epoch(state)) return;
  }
}

Likelihood Trainer::likelihood(const at::Tensor& parameters, const at::Tensor& all_rows) const {
  const at::NoGradGuard no_gradients;
  const Architecture& a = network_.architecture();
  const std::vector<at::Tensor> blocks = network_.blocks(parameters);
  MaskSampler sampler(recipe_.masks, a.features.size(), recipe_.most_kept);
  RandomStream random(StreamKey(recipe_.seed).with("validation masks"));
  const int repeats = recipe_.cover ? 1 : 4;  // masks per sample
  at::Tensor sum, gain;
  std::vector<at::Tensor> means, gains;
  for (std::int64_t begin = 0; begin < all_rows.size(0); begin += chunk) {
    const at::Tensor rows = all_rows.slice(0, begin, std::min(begin + chunk, all_rows.size(0)));
    TrainingBatch batch;
    const at::Tensor maps = network_.maps(blocks, features_of(data_, rows)), known = known_of(data_, rows);
    batch.target = data_.target.index_select(0, rows);
    at::Tensor mean = at::zeros({rows.size(0)});
    for (int r = 0; r < repeats; ++r) {
      draw_masks({sampler, recipe_.cover}, random, known, a.features.size(), batch);
      mean += mean_of_samples(masked_log_likelihood(network_, blocks, maps, batch), batch) / repeats;
    }
    gains.push_back(mean - log_likelihood(a.family, marginal_.expand({rows.size(0), -1}), batch.target));
    means.push_back(mean);
  }
  const at::Tensor every = at::cat(gains).to(at::kDouble);
  return {at::cat(means).to(at::kDouble).mean().item<double>(), every.mean().item<double>(),
          every.std(false).item<double>() / std::sqrt(static_cast<double>(every.size(0)))};
}

void put_curve(ArrayFileWriter& file, const TrainingState& s) {
  file.put_integer("best_epoch", s.best_epoch);
  file.put("looked_after", std::span<const double>(s.looked_after));
  file.put("trained", std::span<const double>(s.trained));
  file.put("validated", std::span<const double>(s.validated));
}

void put(ArrayFileWriter& file, const TrainingState& s) {
  file.put("parameters", floats_of(s.parameters));
  file.put("first_moment", floats_of(s.first_moment));
  file.put("second_moment", floats_of(s.second_moment));
  file.put("best_parameters", floats_of(s.best_parameters));
  file.put_integer("epoch", s.epoch);
  file.put_integer("diverged", s.diverged);
  file.put_number("objective", s.objective);
  file.put_number("validation", s.validation);
  file.put_number("best_validation", s.best_validation);
  put_curve(file, s);
}

TrainingState get_training_state(const ArrayFile& file, const Network& network) {
  const auto count = parameter_count(network.architecture());
  const auto tensor = [&](const char* name) {
    const auto values = file.floats(name);
    if (values.size() != count) file.refuse("it belongs to another network");
    at::Tensor copy = at::empty({static_cast<std::int64_t>(count)});
    std::copy(values.begin(), values.end(), copy.data_ptr<float>());
    return copy;
  };
  TrainingState s;
  s.parameters = tensor("parameters");
  s.first_moment = tensor("first_moment");
  s.second_moment = tensor("second_moment");
  s.best_parameters = tensor("best_parameters");
  s.epoch = file.integer("epoch", 0, std::int64_t{1} << 40);
  s.diverged = file.integer("diverged", 0, 1) != 0;
  s.objective = file.number("objective");
  s.validation = file.number("validation");
  s.best_validation = file.number("best_validation");
  s.best_epoch = file.integer("best_epoch", 0, s.epoch);
  const auto values = [&](const char* name) {
    return std::vector<double>(file.doubles(name).begin(), file.doubles(name).end());
  };
  s.looked_after = values("looked_after");
  s.trained = values("trained");
  s.validated = values("validated");
  return s;
}

}  // namespace macmi
