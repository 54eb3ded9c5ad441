#pragma once
#include <cstddef>
#include <optional>
#include <string>
#include <vector>

#include "graph/knowledge.hpp"
#include "graph/mixed_graph.hpp"
#include "graph/pair_ledger.hpp"

namespace macmi::graph {

/// The outcome of the tests of one pair.
struct PairFindings {
  struct Asked {
    std::vector<std::size_t> given;  ///< ascending
    CiResult result;
  };
  std::optional<Asked> weakest;  ///< the one that came nearest to independence
  std::optional<Asked> separated_by;

  /// Remembers a test if it is weaker than those before.
  void add(std::vector<std::size_t> given, const CiResult& result);
};

/// Findings by pair.
class AllFindings {
 public:
  explicit AllFindings(std::size_t nodes) : findings_(nodes * nodes), nodes_(nodes) {}
  PairFindings& of(std::size_t a, std::size_t b) { return findings_[place(a, b)]; }
  const PairFindings& of(std::size_t a, std::size_t b) const { return findings_[place(a, b)]; }

 private:
  std::size_t place(std::size_t a, std::size_t b) const { return a < b ? a * nodes_ + b : b * nodes_ + a; }
  std::vector<PairFindings> findings_;
  std::size_t nodes_;
};

struct SkeletonRules {
  double alpha = 0.05, min_cmi = 0, fdr = 0;
  std::size_t largest_set = 3;
  std::size_t threads = 1;
};

/// Removes from `graph` every edge whose nodes a set of their neighbours separates: PC-stable (Spirtes, Glymour and
/// Scheines 1993; Colombo and Maathuis 2014). Sets of size 0, 1, … are taken from the possible parents of one end as
/// they were when the size began, so that the order of the pairs does not matter. Of the pairs given nothing
/// Benjamini-Hochberg at `fdr` says which stay.
/// With true tests, and no node with more than `largest_set` parents, the skeleton is exact if `graph` had all true
/// edges: non-adjacent nodes are separated by the parents of one of them.
///
/// `graph` and `findings` are those of the tests so far when TimeUsedUp is thrown.
void find_skeleton(PairLedger& ledger, const Knowledge& knowledge, const SkeletonRules& rules, MixedGraph& graph,
                   AllFindings& findings);

/// Of the pairs without an edge that have a neighbour in common, which decide about directions, asks every set of
/// possible parents of either end and keeps the one with the largest p-value (Ramsey 2016): the first set that
/// separates may do so only because the tests are weak.
void find_surest_separators(PairLedger& ledger, const Knowledge& knowledge, const SkeletonRules& rules,
                            const MixedGraph& graph, AllFindings& findings);

}  // namespace macmi::graph
