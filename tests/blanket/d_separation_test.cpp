#include "blanket/d_separation.hpp"

#include <gtest/gtest.h>

#include "blanket/graphs.hpp"

namespace macmi::blanket {
namespace {

using testing::random_dag;

TEST(DSeparation, TheThreeConnections) {
  Dag chain(3), fork(3), collider(4);
  chain.add_edge(0, 1), chain.add_edge(1, 2);
  fork.add_edge(1, 0), fork.add_edge(1, 2);
  collider.add_edge(0, 1), collider.add_edge(2, 1), collider.add_edge(1, 3);
  const std::vector<std::size_t> nothing, middle{1}, descendant{3};
  for (const Dag& dag : {chain, fork}) {
    EXPECT_FALSE(d_separated(dag, 0, 2, nothing));
    EXPECT_TRUE(d_separated(dag, 0, 2, middle));
  }
  EXPECT_TRUE(d_separated(collider, 0, 2, nothing));
  EXPECT_FALSE(d_separated(collider, 0, 2, middle));
  EXPECT_FALSE(d_separated(collider, 0, 2, descendant));
}

TEST(DSeparation, AgreesWithTheMoralGraph) {
  base::RandomStream random(base::StreamKey(1).with("moral"));
  std::size_t separated = 0, compared = 0;
  for (int trial = 0; trial < 4000; ++trial) {
    const std::size_t nodes = 3 + random.below(8);
    const Dag dag = random_dag(nodes, random.uniform(0.1, 0.7), random);
    const std::size_t x = random.below(nodes), y = (x + 1 + random.below(nodes - 1)) % nodes;
    std::vector<std::size_t> given;
    for (std::size_t node = 0; node < nodes; ++node)
      if (node != x && node != y && random.uniform() < 0.35) given.push_back(node);
    const bool expected = testing::separated_in_moral_graph(dag, x, y, given);
    ASSERT_EQ(d_separated(dag, x, y, given), expected) << "trial " << trial;
    ASSERT_EQ(d_separated(dag, y, x, given), expected) << "trial " << trial;
    separated += expected, ++compared;
  }
  EXPECT_GT(separated, compared / 10);  // both answers occur often enough to mean something
  EXPECT_LT(separated, compared * 9 / 10);
}

/// The blanket read off the graph is the smallest set that separates the target from the rest (the paper's Definition
/// 1).
TEST(DSeparation, MarkovBlanketIsTheMinimalSeparatingSet) {
  base::RandomStream random(base::StreamKey(2).with("blanket"));
  for (int trial = 0; trial < 300; ++trial) {
    const std::size_t nodes = 3 + random.below(4);
    const Dag dag = random_dag(nodes, random.uniform(0.2, 0.6), random);
    const auto separates = [&](const std::vector<std::size_t>& set) {
      for (std::size_t node = 1; node < nodes; ++node)
        if (std::find(set.begin(), set.end(), node) == set.end() &&
            !testing::separated_in_moral_graph(dag, node, 0, set))
          return false;
      return true;
    };
    std::vector<std::vector<std::size_t>> smallest;
    for (std::size_t bits = 0; bits < (std::size_t{1} << (nodes - 1)); ++bits) {
      std::vector<std::size_t> set;
      for (std::size_t node = 1; node < nodes; ++node)
        if (bits >> (node - 1) & 1) set.push_back(node);
      if (!separates(set)) continue;
      if (!smallest.empty() && set.size() > smallest.front().size()) continue;
      if (!smallest.empty() && set.size() < smallest.front().size()) smallest.clear();
      smallest.push_back(set);
    }
    ASSERT_EQ(smallest.size(), 1u);
    ASSERT_EQ(markov_blanket(dag, 0), smallest.front()) << "trial " << trial;
  }
}

}  // namespace
}  // namespace macmi::blanket
