#pragma once
#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "macmi/ci_test.hpp"

namespace macmi::blanket {

/// A directed acyclic graph over nodes 0 … n-1.
class Dag {
 public:
  explicit Dag(std::size_t nodes) : parents_(nodes), children_(nodes) {}
  void add_edge(std::size_t from, std::size_t to);
  std::size_t nodes() const { return parents_.size(); }
  const std::vector<std::size_t>& parents(std::size_t node) const { return parents_[node]; }
  const std::vector<std::size_t>& children(std::size_t node) const { return children_[node]; }

 private:
  std::vector<std::vector<std::size_t>> parents_, children_;
};

/// True if `given` blocks every path between x and y: reachability along active trails, each node visited at
/// most once per direction (Koller & Friedman 2009, Algorithm 3.1; Shachter's Bayes ball 1998). O(nodes + edges).
bool d_separated(const Dag& dag, std::size_t x, std::size_t y, std::span<const std::size_t> given);

/// Parents, children and the children's other parents; ascending.
std::vector<std::size_t> markov_blanket(const Dag& dag, std::size_t node);

/// The test that is never wrong: it reads independence off the graph. The features are all nodes but the target, by
/// name; the effect is 1 for dependent and 0 for independent.
class DSeparationTest : public TargetCiTest {
 public:
  DSeparationTest(Dag dag, std::size_t target, std::vector<std::string> node_names);
  std::span<const std::string> features() const override { return names_; }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override;
  std::size_t node_of(std::size_t feature) const { return node_of_[feature]; }

 private:
  Dag dag_;
  std::size_t target_;
  std::vector<std::string> names_;
  std::vector<std::size_t> node_of_;
};

}  // namespace macmi::blanket
