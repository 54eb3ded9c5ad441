#pragma once
#include <cmath>
#include <set>
#include <span>
#include <vector>

#include "blanket/test_ledger.hpp"

namespace macmi {

enum class Outcome { dependent, independent, undecided };

/// When a test says "independent", and when it nearly said the other.
struct DecisionRule {
  double alpha = 0.05;
  double min_cmi = 0;
  bool fdr = false;
  std::set<std::size_t> discoveries;  ///< under --fdr: the features the marginal screen keeps

  /// Undecided when the test could not be made (p is NaN): that neither removes a feature nor adds one.
  Outcome outcome(const TestKey& key, const CiResult& result) const {
    if (std::isnan(result.p_value)) return Outcome::undecided;
    if (!(result.effect >= min_cmi)) return Outcome::independent;
    const bool significant = fdr && key.given.empty() ? discoveries.count(key.feature) != 0 : result.p_value <= alpha;
    return significant ? Outcome::dependent : Outcome::independent;
  }

  /// p within a factor of 2 of alpha, or the effect within 20% of --min-cmi.
  bool near_miss(const TestKey& key, const CiResult& result) const {
    const bool by_alpha = alpha > 0 && !(fdr && key.given.empty());
    const bool p_near = by_alpha && result.p_value >= alpha / 2 && result.p_value <= alpha * 2;
    const bool effect_near = min_cmi > 0 && std::abs(result.effect - min_cmi) <= 0.2 * min_cmi;
    return p_near || effect_near;
  }
};

/// The hypotheses rejected at false discovery rate q out of `total` (Benjamini & Hochberg 1995), as positions in
/// `p_values`; those never tested count as not rejected.
std::vector<std::size_t> benjamini_hochberg(std::span<const double> p_values, std::size_t total, double q);

}  // namespace macmi
