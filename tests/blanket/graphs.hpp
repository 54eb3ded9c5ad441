#pragma once
#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <set>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "blanket/d_separation.hpp"

namespace macmi::testing {

/// Each pair of nodes joined with probability `density`, edges along a random order of the nodes.
inline blanket::Dag random_dag(std::size_t nodes, double density, base::RandomStream& random) {
  std::vector<std::size_t> order(nodes);
  std::iota(order.begin(), order.end(), std::size_t{0});
  for (std::size_t i = nodes; i > 1; --i) std::swap(order[i - 1], order[random.below(i)]);
  blanket::Dag dag(nodes);
  for (std::size_t i = 0; i < nodes; ++i)
    for (std::size_t j = i + 1; j < nodes; ++j)
      if (random.uniform() < density) dag.add_edge(order[i], order[j]);
  return dag;
}

inline std::vector<std::string> node_names(std::size_t nodes) {
  std::vector<std::string> names;
  for (std::size_t i = 0; i < nodes; ++i) names.push_back(fmt::format("v{}", i));
  return names;
}

inline std::vector<std::string> names_of(const std::vector<std::size_t>& nodes) {
  std::vector<std::string> names;
  for (const std::size_t node : nodes) names.push_back(fmt::format("v{}", node));
  std::sort(names.begin(), names.end());
  return names;
}

/// d-separation by Lauritzen's criterion: x and y are separated by S when S cuts them in the moral graph of the
/// ancestors of {x, y} ∪ S. Shares nothing with the library's trail search.
inline bool separated_in_moral_graph(const blanket::Dag& dag, std::size_t x, std::size_t y,
                                     const std::vector<std::size_t>& given) {
  std::set<std::size_t> ancestral(given.begin(), given.end());
  ancestral.insert({x, y});
  for (bool grown = true; grown;) {
    grown = false;
    for (const std::size_t node : std::set<std::size_t>(ancestral))
      for (const std::size_t parent : dag.parents(node)) grown |= ancestral.insert(parent).second;
  }
  std::set<std::pair<std::size_t, std::size_t>> edges;
  const auto join = [&](std::size_t a, std::size_t b) { edges.insert({a, b}), edges.insert({b, a}); };
  for (const std::size_t node : ancestral)
    for (const std::size_t parent : dag.parents(node)) {
      join(parent, node);
      for (const std::size_t spouse : dag.parents(node))
        if (spouse != parent) join(parent, spouse);
    }
  const std::set<std::size_t> cut(given.begin(), given.end());
  std::set<std::size_t> reached{x};
  for (bool grown = true; grown;) {
    grown = false;
    for (const auto& [a, b] : edges)
      if (reached.count(a) && !cut.count(a) && !cut.count(b)) grown |= reached.insert(b).second;
  }
  return reached.count(y) == 0;
}

}  // namespace macmi::testing
