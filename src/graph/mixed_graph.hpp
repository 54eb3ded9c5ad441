#pragma once
#include <cstddef>
#include <vector>

namespace macmi::graph {

/// A graph whose edges have a direction or none; at most one between two nodes.
class MixedGraph {
 public:
  explicit MixedGraph(std::size_t nodes) : nodes_(nodes), tail_(nodes * nodes, false) {}
  std::size_t nodes() const { return nodes_; }

  /// Joins them by an edge without a direction.
  void join(std::size_t a, std::size_t b) { tail_[at(a, b)] = tail_[at(b, a)] = true; }
  void remove(std::size_t a, std::size_t b) { tail_[at(a, b)] = tail_[at(b, a)] = false; }
  /// Turns the edge of a and b into a -> b.
  void orient(std::size_t a, std::size_t b) { tail_[at(b, a)] = false; }

  bool adjacent(std::size_t a, std::size_t b) const { return tail_[at(a, b)] || tail_[at(b, a)]; }
  bool directed(std::size_t a, std::size_t b) const { return tail_[at(a, b)] && !tail_[at(b, a)]; }
  bool undirected(std::size_t a, std::size_t b) const { return tail_[at(a, b)] && tail_[at(b, a)]; }
  std::vector<std::size_t> neighbours(std::size_t a) const;  ///< ascending
  /// True if edges with a direction lead from a to b.
  bool leads_to(std::size_t a, std::size_t b) const;

  bool operator==(const MixedGraph&) const = default;

 private:
  std::size_t at(std::size_t a, std::size_t b) const { return a * nodes_ + b; }
  std::size_t nodes_;
  std::vector<bool> tail_;  ///< [a, b]: the edge may be read as a -> b
};

}  // namespace macmi::graph
