#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "macmi/variable.hpp"
#include "predict/predictive_density.hpp"

namespace macmi {

/// Nats, with the standard error over the samples.
struct Information {
  double nats = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::quiet_NaN();
};

/// What features tell about a target, by how much better it is predicted with them: I(X; Y | Z) is the mean of
/// log p(y | x, z) − log p(y | z), with both densities learned from other samples than those that they are asked for
/// (docs/effects.md). A density that is too poor makes the estimate too small where it misses x, too large where it
/// misses z; none of it grows with the number of columns as the bias of nearest neighbours does.
class PredictiveInformation {
 public:
  /// The variables must outlive it. `reference`: features on which the scales of columns are chosen, once for all
  /// questions. `units`: samples with the same number are predicted together; empty: every sample by itself.
  PredictiveInformation(const Variable& target, const Variable& reference, std::uint64_t seed,
                        const std::vector<std::int32_t>& units = {});

  /// log p(y | features) of every sample.
  std::vector<double> log_density(const Variable& features) const;
  /// The predicted mean, or the log-odds of two classes; empty for other targets.
  std::vector<double> score(const Variable& features) const;

  const Parts& parts() const { return parts_; }

 private:
  std::vector<PredictedColumn> predicted(const Variable& features, ColumnScale of_target, ColumnScale of_features) const;
  const Variable& target_;
  Parts parts_;
  ColumnScale target_scale_ = ColumnScale::as_given, feature_scale_ = ColumnScale::as_given;
};

/// The mean of the differences, and its standard error over units.
Information mean_difference(const std::vector<double>& more, const std::vector<double>& fewer,
                            const std::vector<std::int32_t>& units = {});

}  // namespace macmi
