#pragma once
#include <map>
#include <string>
#include <vector>

#include "experiments/bullseye3d_tests.hpp"
#include "experiments/reproduction.hpp"
#include "experiments/roc.hpp"

namespace macmi::experiments {

inline constexpr std::size_t bullseye_target = 6;  ///< the node of y

const char* graph_word(BullseyeGraph graph);

/// "x is independent of y given S", true or not.
struct BullseyeStatement {
  std::size_t x;
  std::vector<std::size_t> given;
  bool independent;
  bool for_slow = false;  ///< slow methods test it too
};

/// All 156 with |S| ≤ 3, small sets first. Slow methods get every true statement, and of the false ones an even choice
/// within each size of S.
std::vector<BullseyeStatement> bullseye_statements(BullseyeGraph graph, std::size_t for_slow);
using BullseyeStatements = std::map<BullseyeGraph, std::vector<BullseyeStatement>>;

/// The graphs and methods that are compared, and the size of the comparison.
struct BullseyePlan {
  std::vector<BullseyeGraph> graphs;
  std::vector<BullseyeMethod> methods;
  std::size_t n, seeds, permutations, for_slow;
};

/// Throws InputError naming the option.
BullseyePlan bullseye_plan(const ReproduceOptions& options);

/// The results of one method for the statements of one data set.
struct BullseyeOutcome {
  BullseyeGraph graph;
  std::size_t method;
  std::uint64_t seed;
  std::vector<std::size_t> tested;  ///< places of the statements
  std::vector<CiResult> results;
  std::string blanket;  ///< empty: not searched

  std::vector<ScoredStatement> scored(const std::vector<BullseyeStatement>& all, bool slow_only) const {
    std::vector<ScoredStatement> scores;
    for (std::size_t t = 0; t < tested.size(); ++t)
      if (!slow_only || all[tested[t]].for_slow)
        scores.push_back({all[tested[t]].independent, results[t].p_value, results[t].z_score});
    return scores;
  }
};

/// Makes every test of the plan that the ledger does not have.
std::vector<BullseyeOutcome> bullseye_outcomes(const BullseyePlan& plan, const BullseyeStatements& statements,
                                               run::Ledger& ledger, const ReproduceOptions& options,
                                               const ProgressCallback& progress, const ExperimentTeam* team);

}  // namespace macmi::experiments
