#include "graph/mixed_graph.hpp"

namespace macmi::graph {

std::vector<std::size_t> MixedGraph::neighbours(std::size_t a) const {
  std::vector<std::size_t> all;
  for (std::size_t b = 0; b < nodes_; ++b)
    if (b != a && adjacent(a, b)) all.push_back(b);
  return all;
}

bool MixedGraph::leads_to(std::size_t a, std::size_t b) const {
  std::vector<bool> seen(nodes_, false);
  std::vector<std::size_t> open{a};
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (node == b) return true;
    if (seen[node]) continue;
    seen[node] = true;
    for (std::size_t next = 0; next < nodes_; ++next)
      if (next != node && directed(node, next)) open.push_back(next);
  }
  return false;
}

}  // namespace macmi::graph
