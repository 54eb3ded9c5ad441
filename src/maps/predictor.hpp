#pragma once
#include <span>
#include <vector>

#include "macmi/dataset.hpp"
#include "macmi/maps.hpp"

namespace macmi::maps {

/// The samples that a predictor learns from, and those that it predicts.
struct PredictorRows {
  std::vector<std::size_t> train, test;
};

/// The predictions for the test samples of a predictor that saw only the training samples.
struct Predicted {
  std::vector<double> score;  ///< two classes: log odds of the second; a number: its mean
  std::vector<double> gain;   ///< log q(y) minus that of the best constant of the training samples, nats
};

/// A fresh predictor of the target from some features (indices): the networks of feature maps and surrogate, every
/// feature kept, no regulariser; input scaled by the training samples alone. The mean of two networks' predictions. Two
/// classes, or a target of one number.
Predicted fit_predictor(const Dataset& data, std::span<const std::size_t> features, const PredictorRows& rows,
                        const MapsOptions& options, const MapsHooks& hooks = {});

/// One point of an l1 path.
struct PathPoint {
  double penalty = 0;
  double validation = 0;        ///< mean log likelihood of held-out training samples
  std::vector<double> weights;  ///< per feature of the data set; 0 where it was set aside
};

/// Features scaled by trainable weights, their l1 norm penalised more and more over one training on the given samples
/// (after Li, Chen & Wasserman 2015).
std::vector<PathPoint> l1_path(const Dataset& data, std::span<const std::size_t> rows, const MapsOptions& options,
                               const MapsHooks& hooks = {});

/// Features in the order in which a path gives them up, the last first; and how many were left where the held-out
/// samples were predicted best.
struct L1Ranking {
  std::vector<std::size_t> order;
  std::size_t best_size = 0;
};
L1Ranking rank_by_path(const std::vector<PathPoint>& path);

}  // namespace macmi::maps
