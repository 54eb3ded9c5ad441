#pragma once
#include <cstddef>
#include <functional>
#include <set>
#include <utility>
#include <vector>

#include "blanket/d_separation.hpp"
#include "graph/mixed_graph.hpp"

namespace macmi::testing {

using Arrow = std::pair<std::size_t, std::size_t>;  // from, to

inline std::vector<Arrow> arrows_of(const blanket::Dag& dag) {
  std::vector<Arrow> arrows;
  for (std::size_t node = 0; node < dag.nodes(); ++node)
    for (const std::size_t parent : dag.parents(node)) arrows.emplace_back(parent, node);
  return arrows;
}

/// A directed graph of few nodes: bit a of parents[b] is a -> b.
struct SmallGraph {
  std::vector<std::size_t> parents;

  bool arrow(std::size_t a, std::size_t b) const { return (parents[b] >> a) & 1; }
  bool joined(std::size_t a, std::size_t b) const { return arrow(a, b) || arrow(b, a); }
  /// Nodes without a parent can be taken away one after the other.
  bool acyclic() const {
    std::size_t gone = 0;
    for (std::size_t round = 0; round < parents.size(); ++round)
      for (std::size_t node = 0; node < parents.size(); ++node)
        if ((parents[node] & ~gone) == 0) gone |= std::size_t{1} << node;
    return gone + 1 == std::size_t{1} << parents.size();
  }
  /// The nodes c of a -> c <- b, for every a and b that are not joined: with the joined pairs, what Markov equivalent
  /// graphs share (Verma and Pearl 1990).
  std::vector<std::size_t> colliders() const {
    std::vector<std::size_t> found;
    for (std::size_t a = 0; a < parents.size(); ++a)
      for (std::size_t b = a + 1; b < parents.size(); ++b) {
        found.push_back(0);
        for (std::size_t c = 0; c < parents.size() && !joined(a, b); ++c)
          if (arrow(a, c) && arrow(b, c)) found.back() |= std::size_t{1} << c;
      }
    return found;
  }
};

/// The directions that all Markov equivalent graphs that fit `known` share, found by trying every direction of every
/// edge: arrows that all of them have, and the other edges without a direction. Shares nothing with the rules that the
/// library orients by.
inline graph::MixedGraph oriented_by_enumeration(
    const blanket::Dag& dag, const std::function<bool(const Arrow&)>& known = [](const Arrow&) { return true; }) {
  const std::vector<Arrow> edges = arrows_of(dag);
  SmallGraph truth{std::vector<std::size_t>(dag.nodes())};
  for (const auto& [a, b] : edges) truth.parents[b] |= std::size_t{1} << a;
  const auto colliders = truth.colliders();
  std::set<Arrow> seen;
  for (std::size_t turned = 0; turned < (std::size_t{1} << edges.size()); ++turned) {
    SmallGraph other{std::vector<std::size_t>(dag.nodes())};
    std::vector<Arrow> arrows;
    bool fits = true;
    for (std::size_t e = 0; e < edges.size(); ++e) {
      const auto [a, b] = edges[e];
      arrows.push_back((turned >> e) & 1 ? Arrow(b, a) : Arrow(a, b));
      other.parents[arrows.back().second] |= std::size_t{1} << arrows.back().first;
      fits = fits && known(arrows.back());
    }
    if (fits && other.acyclic() && other.colliders() == colliders) seen.insert(arrows.begin(), arrows.end());
  }
  graph::MixedGraph graph(dag.nodes());
  for (const auto& [a, b] : edges) {
    graph.join(a, b);
    if (!seen.contains({b, a})) graph.orient(a, b);
    if (!seen.contains({a, b})) graph.orient(b, a);
  }
  return graph;
}

}  // namespace macmi::testing
