#pragma once
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include "blanket/test_ledger.hpp"

namespace macmi::blanket {

enum class Outcome { dependent, independent, undecided };

/// When a test says "independent", and when it nearly said the other.
struct DecisionRule {
  double alpha = 0.05;
  double min_cmi = 0;
  bool fdr = false;                   ///< the marginal screen controls the false discovery rate
  std::set<std::size_t> discoveries;  ///< then: the features that it keeps

  /// Undecided when the test could not be made (p is NaN): that neither removes a feature nor adds one.
  Outcome outcome(const TestKey& key, const CiResult& result) const {
    if (!fdr || !key.given.empty()) return at_alpha(result);
    if (std::isnan(result.p_value)) return Outcome::undecided;
    return discoveries.contains(key.feature) ? Outcome::dependent : Outcome::independent;
  }

  /// The same by alpha and --min-cmi alone.
  Outcome at_alpha(const CiResult& result) const {
    if (std::isnan(result.p_value)) return Outcome::undecided;
    return result.p_value <= alpha && result.effect >= min_cmi ? Outcome::dependent : Outcome::independent;
  }

  /// The p-value to compare many features by: 1 where the effect is below --min-cmi.
  double joint_p(const CiResult& result) const {
    if (std::isnan(result.p_value)) return result.p_value;
    return result.effect >= min_cmi ? resolved_p(result) : 1;
  }

  /// p within a factor of 2 of the level, or the effect within 20% of --min-cmi.
  bool near_miss(double level, const CiResult& result) const {
    const bool p_near = level > 0 && result.p_value >= level / 2 && result.p_value <= level * 2;
    const bool effect_near = min_cmi > 0 && std::abs(result.effect - min_cmi) <= 0.2 * min_cmi;
    return p_near || effect_near;
  }
};

/// The hypotheses rejected at false discovery rate q out of `total` (Benjamini & Hochberg 1995), as positions in
/// `p_values`; those never tested count as not rejected.
std::vector<std::size_t> benjamini_hochberg(std::span<const double> p_values, std::size_t total, double q);

}  // namespace macmi::blanket
