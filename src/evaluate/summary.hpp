#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "macmi/evaluate.hpp"

namespace macmi::evaluate {

/// The features and scores of one way of choosing features, over all parts.
struct ScoredSet {
  std::string name;
  std::vector<std::vector<std::string>> features;  ///< per part
  std::vector<double> score, gain;                 ///< per sample, each by the predictor that had not seen it
};

/// The parts of a cross-validation.
struct Parts {
  const Dataset& data;
  const std::vector<std::int32_t>& part_of;  ///< per sample
  std::uint64_t parts = 5;
  std::uint64_t seed = 0;
};

/// Measures of every set, the sets "random 1", "random 2", … as one, and the differences of "selected" from the others.
Evaluation summarise(const Parts& parts, const std::vector<ScoredSet>& sets, std::uint64_t bootstrap);

}  // namespace macmi::evaluate
