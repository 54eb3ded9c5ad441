#pragma once
#include <span>

#include "macmi/dataset.hpp"
#include "maps/predictor.hpp"

namespace macmi::evaluate {

/// The counterpart of fit_predictor for tables: penalised polynomials with boosted trees on top (src/predict), all that
/// they choose settled by cross-validation within the training samples. Seconds where networks take minutes.
maps::Predicted fit_trees(const Dataset& data, std::span<const std::size_t> features, const maps::PredictorRows& rows,
                          std::uint64_t seed);

}  // namespace macmi::evaluate
