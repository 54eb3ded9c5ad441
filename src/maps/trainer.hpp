#pragma once
#include <functional>
#include <string>

#include "maps/training_data.hpp"

namespace macmi {

/// A training between two epochs: all that the rest of it depends on. Random numbers are keyed by the epoch, so a
/// training that was stopped and goes on from its state ends with the same bits.
struct TrainingState {
  at::Tensor parameters, first_moment, second_moment;
  at::Tensor best_parameters;  ///< of the highest validation likelihood in the second half of the schedule
  std::int64_t epoch = 0;      ///< epochs done
  double objective = 0;        ///< mean of the last epoch
  double validation = 0;       ///< mean log likelihood of the validation samples, after the last epoch that looked
  double best_validation = 0;
  std::int64_t best_epoch = 0;
  std::vector<double> looked_after, trained, validated;  ///< epochs that looked, with what they saw: the training curve
  bool diverged = false;
};
void put(ArrayFileWriter& file, const TrainingState& state);
void put_curve(ArrayFileWriter& file, const TrainingState& state);
TrainingState get_training_state(const ArrayFile& file, const Network& network);

/// Mean log likelihood of samples under random masks, its standard error, and its advantage over the best constant
/// prediction with the advantage's standard error.
struct Likelihood {
  double mean = 0, gain = 0, gain_error = 0;
};

class Trainer {
 public:
  /// `key` keys every random number; data and network must outlive the trainer.
  Trainer(const Network& network, const TrainingData& data, const Recipe& recipe, at::Tensor train_rows,
          at::Tensor validation_rows, const StreamKey& key);

  TrainingState start() const;
  /// Trains until `epoch` epochs are done or the objective is no number any more. Called after every epoch; false
  /// stops.
  void advance(TrainingState& state, std::int64_t epoch,
               const std::function<bool(const TrainingState&)>& after_epoch = {}) const;

  Likelihood validation(const at::Tensor& parameters) const { return likelihood(parameters, validation_rows_); }
  Likelihood likelihood(const at::Tensor& parameters, const at::Tensor& rows) const;
  /// Of the l1 norm of feature scales, after this share of the training.
  double penalty(double share) const;

 private:
  /// Mean objective and mean log likelihood of an epoch.
  struct EpochMeans {
    double objective = 0, log_likelihood = 0;
  };
  EpochMeans run_epoch(TrainingState& state) const;
  void step(TrainingState& state, const at::Tensor& gradient, std::int64_t step, std::int64_t steps) const;

  const Network& network_;
  const TrainingData& data_;
  Recipe recipe_;
  at::Tensor train_rows_, validation_rows_, marginal_;
  StreamKey key_;
};

}  // namespace macmi
