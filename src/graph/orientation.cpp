#include "graph/orientation.hpp"

#include <algorithm>
#include <tuple>

namespace macmi::graph {
namespace {

/// a -> c <- b, where a and b are separated by a set without c.
struct Collider {
  std::size_t a, c, b;
  double p;
};

/// Surest separation first; ties by place.
std::vector<Collider> find_colliders(const MixedGraph& graph, const FindSeparator& separator) {
  std::vector<Collider> found;
  for (std::size_t a = 0; a < graph.nodes(); ++a)
    for (std::size_t b = a + 1; b < graph.nodes(); ++b) {
      if (graph.adjacent(a, b)) continue;
      const std::optional<Separator> by = separator(a, b);
      if (!by) continue;
      for (const std::size_t c : graph.neighbours(a))
        if (graph.adjacent(c, b) && !std::binary_search(by->given.begin(), by->given.end(), c))
          found.push_back({a, c, b, by->p});
    }
  std::sort(found.begin(), found.end(), [](const Collider& x, const Collider& y) {
    return std::tuple(-x.p, x.a, x.b, x.c) < std::tuple(-y.p, y.a, y.b, y.c);
  });
  return found;
}

bool may_orient(const MixedGraph& graph, const Knowledge& knowledge, std::size_t a, std::size_t b) {
  return graph.directed(a, b) || (graph.undirected(a, b) && knowledge.may_cause(a, b) && !graph.leads_to(b, a));
}

/// 1: x -> a, x and b not joined: else x -> a <- b would have been seen.
bool rule_1(const MixedGraph& g, std::size_t a, std::size_t b) {
  for (std::size_t x = 0; x < g.nodes(); ++x)
    if (x != b && g.directed(x, a) && !g.adjacent(x, b)) return true;
  return false;
}

/// 2: a -> x -> b: else a cycle.
bool rule_2(const MixedGraph& g, std::size_t a, std::size_t b) {
  for (std::size_t x = 0; x < g.nodes(); ++x)
    if (g.directed(a, x) && g.directed(x, b)) return true;
  return false;
}

/// 3: a - x -> b and a - y -> b, x and y not joined: else x -> a <- y would have been seen, or a cycle.
bool rule_3(const MixedGraph& g, std::size_t a, std::size_t b) {
  for (std::size_t x = 0; x < g.nodes(); ++x)
    for (std::size_t y = x + 1; y < g.nodes(); ++y)
      if (x != a && y != a && x != b && y != b && g.undirected(a, x) && g.undirected(a, y) && g.directed(x, b) &&
          g.directed(y, b) && !g.adjacent(x, y))
        return true;
  return false;
}

/// 4: a - x -> y -> b, a and y joined, x and b not joined. Needed with background knowledge only.
bool rule_4(const MixedGraph& g, std::size_t a, std::size_t b) {
  for (std::size_t x = 0; x < g.nodes(); ++x)
    for (std::size_t y = 0; y < g.nodes(); ++y)
      if (x != a && y != a && x != b && y != b && x != y && g.undirected(a, x) && g.directed(x, y) &&
          g.directed(y, b) && g.adjacent(a, y) && !g.adjacent(x, b))
        return true;
  return false;
}

}  // namespace

void apply_meeks_rules(MixedGraph& graph, const Knowledge& knowledge) {
  for (bool changed = true; changed;) {
    changed = false;
    for (std::size_t a = 0; a < graph.nodes(); ++a)
      for (std::size_t b = 0; b < graph.nodes(); ++b) {
        if (a == b || !graph.undirected(a, b)) continue;
        const bool follows = rule_1(graph, a, b) || rule_2(graph, a, b) || rule_3(graph, a, b) || rule_4(graph, a, b);
        if (!follows || !may_orient(graph, knowledge, a, b)) continue;
        graph.orient(a, b);
        changed = true;
      }
  }
}

std::size_t orient(MixedGraph& graph, const Knowledge& knowledge, const FindSeparator& separator) {
  const std::vector<Collider> colliders = find_colliders(graph, separator);
  knowledge.apply(graph);
  std::size_t contradictions = 0;
  for (const auto& [a, c, b, p] : colliders)
    for (const std::size_t cause : {a, b}) {
      if (may_orient(graph, knowledge, cause, c))
        graph.orient(cause, c);
      else
        ++contradictions;
    }
  apply_meeks_rules(graph, knowledge);
  return contradictions;
}

}  // namespace macmi::graph
