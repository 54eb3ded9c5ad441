#pragma once
#include <cstddef>
#include <string>
#include <vector>

#include "graph/mixed_graph.hpp"

namespace macmi::graph {

/// Background knowledge about edges, by the places of the nodes.
class Knowledge {
 public:
  explicit Knowledge(std::size_t nodes) : nodes_(nodes), barred_(nodes * nodes, false), required_(nodes) {}

  bool may_cause(std::size_t a, std::size_t b) const { return !barred_[a * nodes_ + b]; }
  bool may_join(std::size_t a, std::size_t b) const { return may_cause(a, b) || may_cause(b, a); }
  bool must_join(std::size_t a, std::size_t b) const { return required_.adjacent(a, b); }
  /// Gives edges the directions that are known, but for those that would close a cycle.
  void apply(MixedGraph& graph) const;

  void bar(std::size_t a, std::size_t b) { barred_[a * nodes_ + b] = true; }
  void require(std::size_t a, std::size_t b) { required_.join(a, b); }
  /// True if required edges whose direction is known lead from a to b.
  bool known_to_lead(std::size_t a, std::size_t b) const { return known_directions().leads_to(a, b); }

 private:
  MixedGraph known_directions() const;
  std::size_t nodes_;
  std::vector<bool> barred_;  ///< [a, b]: a does not cause b
  MixedGraph required_;
};

/// Background knowledge as the user wrote it.
struct KnowledgeTexts {
  std::vector<std::string> must = {}, never = {};  ///< "a->b" or "a--b"
  std::string order = {};                          ///< "a,b | c | d"
};

/// Reads background knowledge about the nodes `names`, which are sorted. Throws InputError for unknown names, for
/// contradictions and for required edges that form a cycle.
Knowledge read_knowledge(const KnowledgeTexts& texts, const std::vector<std::string>& names);

}  // namespace macmi::graph
