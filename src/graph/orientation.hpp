#pragma once
#include <cstddef>
#include <functional>
#include <optional>
#include <vector>

#include "graph/knowledge.hpp"
#include "graph/mixed_graph.hpp"

namespace macmi::graph {

/// The set that separates two nodes without an edge, and how surely.
struct Separator {
  std::vector<std::size_t> given;  ///< ascending
  double p = 1;
};
/// Nothing where the pair was not asked.
using FindSeparator = std::function<std::optional<Separator>(std::size_t a, std::size_t b)>;

/// Gives directions to a skeleton: those that are known, then a -> c <- b wherever c is no part of the set that
/// separates a and b, then Meek's rules. With true separators and true knowledge this is the maximally oriented graph
/// (Meek 1995). Where tests contradict each other the surer separation counts, and no cycle arises. Returns how many
/// arrows were left out because of such contradictions.
std::size_t orient(MixedGraph& graph, const Knowledge& knowledge, const FindSeparator& separator);

/// Meek's four rules until none applies.
void apply_meeks_rules(MixedGraph& graph, const Knowledge& knowledge);

}  // namespace macmi::graph
