#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "macmi/variable.hpp"
#include "predict/cross_fit.hpp"
#include "predict/design.hpp"

namespace macmi::predict {

/// One column of a target, to be predicted.
struct TargetColumn {
  std::vector<double> values;       ///< of numbers, mean 0 and standard deviation 1
  std::vector<std::int32_t> codes;  ///< of classes: 0 … classes-1, rare ones merged
  std::size_t classes = 0;          ///< 0: numbers
};
std::vector<TargetColumn> target_columns(const Variable& target, ColumnScale scale);

/// Predictions of samples by predictors that have not seen them.
struct PredictedColumn {
  std::vector<double> log_density;  ///< of every sample's value, nats
  std::vector<double> score;        ///< the mean of numbers, log-odds of the second of two classes; else empty
};
/// A number has a predicted mean, a predicted spread, and one shape of density around them for all samples.
PredictedColumn predict(const TargetColumn& target, const Design& design, const Parts& parts,
                        bool always_sparse = false);

}  // namespace macmi::predict
