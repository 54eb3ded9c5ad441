#pragma once
#include <cstddef>
#include <limits>
#include <string>
#include <vector>

#include "macmi/ci_test.hpp"

namespace macmi {

/// A second pass measures one feature once the members are known (docs/effects.md): the search stops its tests
/// as soon as it can decide, so that its numbers are good for decisions only.
struct MeasuredFeature {
  static constexpr double unknown = std::numeric_limits<double>::quiet_NaN();
  std::vector<std::string> given;                 ///< all (other) selected features, sorted
  double effect = unknown;                        ///< I(feature; target | given), nats
  double effect_error = unknown;                  ///< its standard error over the samples
  double alone = unknown, alone_error = unknown;  ///< the same given nothing
  double p_value = unknown;  ///< with all permutations, the tail fitted; NaN where the test could not be made
  double q_value = unknown;  ///< adjusted over all features (Benjamini & Hochberg 1995)
  CiResult test;             ///< the test behind p_value
  std::string remark;        ///< why the effect is unknown
};

/// A comparison of predictors: the selected features against all features.
struct Sufficiency {
  std::size_t selected = 0, all = 0;  ///< features
  std::string measure;                ///< "AUC", "R²" or "nats"
  double of_selected = 0, of_all = 0;
  double low = 0, high = 0;                         ///< 95% interval of selected minus all
  double missing_nats = 0, missing_nats_error = 0;  ///< information of all features beyond the selected, per sample
  bool enough = true;                               ///< the samples do not show that anything is missing
  std::vector<std::string> next;                    ///< where something is: features that add most, strongest first
  std::size_t samples = 0;                          ///< that were predicted
  std::string remark;                               ///< why it was not measured; everything else is then 0
  bool measured() const { return remark.empty(); }
};

}  // namespace macmi
