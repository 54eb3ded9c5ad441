#include "blanket/d_separation.hpp"

#include <algorithm>

namespace macmi::blanket {
namespace {

/// The nodes of `given` and all their ancestors: a collider lets information through exactly when it is one of these.
std::vector<bool> with_ancestors(const Dag& dag, std::span<const std::size_t> given) {
  std::vector<bool> marked(dag.nodes(), false);
  std::vector<std::size_t> open(given.begin(), given.end());
  while (!open.empty()) {
    const std::size_t node = open.back();
    open.pop_back();
    if (marked[node]) continue;
    marked[node] = true;
    open.insert(open.end(), dag.parents(node).begin(), dag.parents(node).end());
  }
  return marked;
}

}  // namespace

void Dag::add_edge(std::size_t from, std::size_t to) {
  parents_[to].push_back(from);
  children_[from].push_back(to);
}

bool d_separated(const Dag& dag, std::size_t x, std::size_t y, std::span<const std::size_t> given) {
  enum Direction : std::size_t { from_child = 0, from_parent = 1 };
  std::vector<bool> observed(dag.nodes(), false);
  for (const std::size_t node : given) observed[node] = true;
  const std::vector<bool> opens_collider = with_ancestors(dag, given);
  std::vector<bool> visited(2 * dag.nodes(), false);
  std::vector<std::pair<std::size_t, Direction>> open{{x, from_child}};
  while (!open.empty()) {
    const auto [node, direction] = open.back();
    open.pop_back();
    if (visited[2 * node + direction]) continue;
    visited[2 * node + direction] = true;
    if (node == y) return false;
    const bool up = direction == from_child ? !observed[node] : opens_collider[node];
    if (up)
      for (const std::size_t parent : dag.parents(node)) open.emplace_back(parent, from_child);
    if (!observed[node])
      for (const std::size_t child : dag.children(node)) open.emplace_back(child, from_parent);
  }
  return true;
}

std::vector<std::size_t> markov_blanket(const Dag& dag, std::size_t node) {
  std::vector<std::size_t> blanket = dag.parents(node);
  for (const std::size_t child : dag.children(node)) {
    blanket.push_back(child);
    blanket.insert(blanket.end(), dag.parents(child).begin(), dag.parents(child).end());
  }
  std::sort(blanket.begin(), blanket.end());
  blanket.erase(std::unique(blanket.begin(), blanket.end()), blanket.end());
  std::erase(blanket, node);
  return blanket;
}

DSeparationTest::DSeparationTest(Dag dag, std::size_t target, std::vector<std::string> node_names)
    : dag_(std::move(dag)), target_(target) {
  for (std::size_t node = 0; node < dag_.nodes(); ++node) {
    if (node == target_) continue;
    names_.push_back(node_names[node]);
    node_of_.push_back(node);
  }
}

CiResult DSeparationTest::test(std::size_t x, std::span<const std::size_t> given) const {
  std::vector<std::size_t> nodes;
  for (const std::size_t feature : given) nodes.push_back(node_of_[feature]);
  const bool independent = d_separated(dag_, node_of_[x], target_, nodes);
  CiResult result;
  result.statistic = result.effect = independent ? 0 : 1;
  result.p_value = independent ? 1 : 0;
  result.rule = "d-separation";
  return result;
}

}  // namespace macmi::blanket
