#pragma once
#include <cstdint>
#include <limits>
#include <vector>

#include "macmi/variable.hpp"
#include "predict/predictive_density.hpp"

namespace macmi::predict {

/// Nats, with the standard error over the samples.
struct Information {
  double nats = std::numeric_limits<double>::quiet_NaN();
  double error = std::numeric_limits<double>::quiet_NaN();
};

/// The scales on which columns of the target and of features are predicted and used.
struct Scales {
  ColumnScale target = ColumnScale::as_given, features = ColumnScale::as_given;
};

/// The information of features about a target, by how much better they predict it: I(X; Y | Z) is the mean of
/// log p(y | x, z) − log p(y | z), with both densities learned from other samples than those that they are asked for
/// (docs/effects.md). A density that is too poor makes the estimate too small where it misses x, too large where it
/// misses z; none of it grows with the number of columns as the bias of nearest neighbours does.
class PredictiveInformation {
 public:
  /// The target must outlive it. `units`: samples with the same number are predicted together; empty: every sample by
  /// itself.
  PredictiveInformation(const Variable& target, std::uint64_t seed, const std::vector<std::int32_t>& units = {});

  /// For comparisons of sets of different size: a small one must not lose by having all of its products fitted.
  void try_sparse_always() { always_sparse_ = true; }

  struct Prediction {
    std::vector<double> log_density;  ///< log p(y | features) of every sample
    std::vector<double> score;        ///< the mean of one number, the log-odds of two classes; else empty
  };
  /// Takes the scales on which these features predict best, for all questions that follow, and tells what they predict.
  Prediction choose_scales(const Variable& features, std::size_t threads = 1);
  const Scales& scales() const { return scales_; }
  Prediction predict(const Variable& features) const;
  std::vector<double> log_density(const Variable& features) const { return predict(features).log_density; }

 private:
  Prediction predict(const Variable& features, const Scales& scales) const;
  const Variable& target_;
  Parts parts_;
  Scales scales_;
  bool always_sparse_ = false;
};

/// The mean of the differences, and its standard error over units.
Information mean_difference(const std::vector<double>& more, const std::vector<double>& fewer,
                            const std::vector<std::int32_t>& units = {});

}  // namespace macmi::predict
