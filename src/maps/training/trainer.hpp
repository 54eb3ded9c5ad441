#pragma once
#include <functional>
#include <vector>

#include "base/random.hpp"
#include "maps/network/objective.hpp"
#include "maps/training/rounds/training_state.hpp"
#include "maps/training/rounds/training_task.hpp"
#include "maps/training/training_job.hpp"

namespace macmi::maps {

/// Mean log likelihood of samples under random masks, and its advantage over the best constant prediction with the
/// advantage's standard error.
struct Likelihood {
  double mean = 0, gain = 0, gain_error = 0;
};

/// Algorithm 2 of the paper. `parameters` are all those of maps and surrogate, θ and the weights of f_1 … f_m:
///
///   for every step (advance, run_epoch):
///     draw samples of V and Y, a mask W for each, and for every kept feature a shuffled x_i'' (draw_batch)
///     R_i ← | ‖f_i(x_i') − f_i(x_i'')‖² − D_J(q_i' ‖ q_i'') |                                 (Objective)
///     step along the gradient of log q_θ(y | F_W(v), W) − λ Σ_i W_i R_i                      (Adam, cosine schedule)
///
/// "Minimise the weighted sum" in the printed algorithm means: maximise. One trainer works on one thread; `threads` are
/// for the GRUs' kernels inside, and leave no trace in the bits.
class Trainer {
 public:
  /// `key` keys every random number; the job must outlive the trainer.
  Trainer(const TrainingJob& job, const Recipe& recipe, const ModelRows& rows, const base::StreamKey& key,
          std::size_t threads = 1);

  TrainingState start() const;
  /// Trains until `epoch` epochs are done or the objective is no number any more. `after_epoch` is called after every
  /// epoch; `keep_going` is asked after every step, and Cancelled is thrown when it says no.
  void advance(TrainingState& state, std::int64_t epoch, const std::function<void(const TrainingState&)>& after_epoch,
               const std::function<bool()>& keep_going);

  Likelihood validation(std::span<const float> parameters) { return likelihood(parameters, validation_rows_); }
  Likelihood training(std::span<const float> parameters) { return likelihood(parameters, train_rows_); }
  const std::vector<float>& marginal() const { return marginal_; }
  const std::vector<std::uint32_t>& train_rows() const { return train_rows_; }
  Objective& objective() { return objective_; }
  /// Of the l1 norm of feature scales, after this share of the training.
  double penalty(double share) const;

 private:
  /// Mean objective and mean log likelihood of an epoch.
  struct EpochMeans {
    double objective = 0, log_likelihood = 0;
  };
  EpochMeans run_epoch(TrainingState& state, const std::function<bool()>& keep_going);
  void step(TrainingState& state, std::int64_t step, std::int64_t steps);
  void look_at_validation(TrainingState& state, double trained);
  /// True if the training would end with the weights that were just looked at.
  bool is_kept(const TrainingState& state) const;
  Likelihood likelihood(std::span<const float> parameters, std::span<const std::uint32_t> rows);

  const TrainingJob& job_;
  Recipe recipe_;
  std::vector<std::uint32_t> train_rows_, validation_rows_;
  base::StreamKey key_;
  Objective objective_;
  std::vector<float> marginal_, gradient_;
};

/// Row numbers as the networks take them.
std::vector<std::uint32_t> as_rows(const std::vector<std::int32_t>& rows);

/// The trainer of one training of a tournament.
Trainer trainer_of(const TrainingJob& job, const TrainingTask& task, std::size_t threads = 1);

}  // namespace macmi::maps
