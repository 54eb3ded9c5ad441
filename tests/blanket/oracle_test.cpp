// Algorithm 1 and the fixpoint with a test that is never wrong, on random graphs.
#include <gtest/gtest.h>

#include "blanket/graphs.hpp"
#include "macmi/blanket.hpp"

namespace macmi::blanket {
namespace {

using testing::names_of;
using testing::node_names;

struct Problem {
  Dag dag;
  std::size_t target;
};

/// Graphs of 3 to 12 nodes; 5 densities.
template <class Check>
void for_random_graphs(std::size_t graphs, const char* stream, const Check& check) {
  base::RandomStream random(base::StreamKey(3).with(stream));
  for (std::size_t g = 0; g < graphs; ++g) {
    const std::size_t nodes = 3 + g % 10;
    const double density = 0.1 + 0.15 * static_cast<double>(random.below(5));
    Problem problem{testing::random_dag(nodes, density, random), random.below(nodes)};
    SCOPED_TRACE("graph " + std::to_string(g));
    check(problem);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

/// Every Δ that makes a difference on small graphs; on larger ones the small Δ and the largest.
std::vector<std::uint64_t> deltas(std::size_t nodes, std::uint64_t from = 0) {
  std::vector<std::uint64_t> all;
  for (std::uint64_t delta = from; delta < nodes; ++delta)
    if (nodes <= 7 || delta <= (from > 2 ? from : from + 3) || (delta + 1 == nodes && nodes <= 8)) all.push_back(delta);
  return all;
}

Blanket search(const Problem& problem, SearchOptions options) {
  options.threads = 1;
  return find_blanket(DSeparationTest(problem.dag, problem.target, node_names(problem.dag.nodes())), options);
}

std::vector<std::string> with_role(const Blanket& blanket, Role role) {
  std::vector<std::string> names;
  for (const FeatureVerdict& f : blanket.features)
    if (f.role == role) names.push_back(f.name);
  return names;
}

constexpr SearchProcedure paper = SearchProcedure::paper;

// ctest label of all long: every target of hundreds of random graphs
TEST(Oracle, WithoutShrinkTheResultContainsTheBlanketForEveryDelta) {
  std::size_t larger = 0;
  for_random_graphs(1000, "superset", [&](const Problem& problem) {
    const auto truth = names_of(markov_blanket(problem.dag, problem.target));
    for (const std::uint64_t delta : deltas(problem.dag.nodes())) {
      const Blanket found = search(problem, {.search = paper, .delta = delta, .no_shrink = true});
      ASSERT_TRUE(std::includes(found.members.begin(), found.members.end(), truth.begin(), truth.end()))
          << "delta " << delta;
      larger += found.members.size() > truth.size();
    }
  });
  EXPECT_GT(larger, 100u);  // the shrink pass has something to do
}

TEST(Oracle, WithShrinkTheResultIsTheBlanketForEveryDelta) {
  for_random_graphs(1000, "exact", [&](const Problem& problem) {
    const auto truth = names_of(markov_blanket(problem.dag, problem.target));
    for (const std::uint64_t delta : deltas(problem.dag.nodes()))
      ASSERT_EQ(search(problem, {.search = paper, .delta = delta}).members, truth) << "delta " << delta;
  });
}

TEST(Oracle, TheFixpointIsTheBlanketForEveryDelta) {
  for_random_graphs(1500, "fixpoint", [&](const Problem& problem) {
    const auto truth = names_of(markov_blanket(problem.dag, problem.target));
    for (const std::uint64_t delta : deltas(problem.dag.nodes())) {
      const Blanket found = search(problem, {.delta = delta});
      ASSERT_EQ(found.members, truth) << "delta " << delta;
      for (const FeatureVerdict& f : found.features) {
        ASSERT_TRUE(f.interchangeable.empty()) << "a blanket is unique where the test is never wrong";
        ASSERT_EQ(f.re_tested, f.role != Role::excluded);
      }
    }
  });
}

/// Wider graphs, where most features are never connected to the target.
TEST(Oracle, TheFixpointIsTheBlanketOfWideGraphs) {
  base::RandomStream random(base::StreamKey(3).with("wide"));
  for (std::size_t nodes : {40, 60, 80, 100})
    for (int graph = 0; graph < 10; ++graph) {
      const Problem problem{testing::random_dag(nodes, 3.0 / static_cast<double>(nodes), random), random.below(nodes)};
      const auto truth = names_of(markov_blanket(problem.dag, problem.target));
      ASSERT_EQ(search(problem, {.delta = 2}).members, truth) << nodes << " nodes, graph " << graph;
    }
}

TEST(Oracle, AsManyAsAskedBeginWithTheBlanket) {
  for_random_graphs(150, "number", [&](const Problem& problem) {
    const auto truth = names_of(markov_blanket(problem.dag, problem.target));
    for (std::uint64_t wanted = 1; wanted < problem.dag.nodes(); ++wanted) {
      const auto found = search(problem, {.n_features = wanted}).members;
      ASSERT_EQ(found.size(), wanted);
      const auto& larger = wanted < truth.size() ? truth : found;
      const auto& smaller = wanted < truth.size() ? found : truth;
      ASSERT_TRUE(std::includes(larger.begin(), larger.end(), smaller.begin(), smaller.end()));
    }
  });
}

/// The theorem of the paper's supplement: a target without children, and Δ at least its number of parents.
TEST(Oracle, TheAdjacentSetOfASinkIsItsParents) {
  for_random_graphs(1500, "sink", [&](Problem problem) {
    while (!problem.dag.children(problem.target).empty()) problem.target = problem.dag.children(problem.target).front();
    const auto parents = names_of(problem.dag.parents(problem.target));
    for (const std::uint64_t delta : deltas(problem.dag.nodes(), parents.size())) {
      ASSERT_EQ(search(problem, {.delta = delta, .no_children = true}).members, parents) << "delta " << delta;
      ASSERT_EQ(with_role(search(problem, {.search = paper, .delta = delta, .no_shrink = true}), Role::adjacent),
                parents)
          << "delta " << delta;
    }
  });
}

TEST(Oracle, ExcludedFeaturesAreSeparatedByTheSetShown) {
  for_random_graphs(1000, "separators", [&](const Problem& problem) {
    for (const SearchProcedure procedure : {SearchProcedure::fixpoint, paper})
      for (const FeatureVerdict& f : search(problem, {.search = procedure}).features) {
        if (f.role != Role::excluded) continue;
        std::vector<std::size_t> given;
        for (const std::string& name : f.separating_set) given.push_back(std::stoul(name.substr(1)));
        ASSERT_TRUE(testing::separated_in_moral_graph(problem.dag, std::stoul(f.name.substr(1)), problem.target, given))
            << f.name;
      }
  });
}

/// The two examples that Algorithm 1 as printed does not resolve.
TEST(Oracle, ThePapersOwnNetworkNeedsTheShrinkPass) {
  Dag dag(7);  // 0 is the target; the 3-D bullseye: X1→X2, X1→X3, X3→X4, {X2,X4}→X5, {X3,X5}→Y, {X4,Y}→X6
  for (const auto& [from, to] : std::vector<std::pair<std::size_t, std::size_t>>{
           {1, 2}, {1, 3}, {3, 4}, {2, 5}, {4, 5}, {3, 0}, {5, 0}, {4, 6}, {0, 6}})
    dag.add_edge(from, to);
  const Problem problem{dag, 0};
  // X2 → X5 ← X4 → X6 ← Y is open given {X3, X5, X6}: X2, and X1 behind it, look like co-parents.
  EXPECT_EQ(search(problem, {.search = paper, .no_shrink = true}).members,
            (std::vector<std::string>{"v1", "v2", "v3", "v4", "v5", "v6"}));
  for (const SearchProcedure procedure : {SearchProcedure::fixpoint, paper}) {
    const Blanket shrunk = search(problem, {.search = procedure});
    EXPECT_EQ(shrunk.members, (std::vector<std::string>{"v3", "v4", "v5", "v6"}));
    EXPECT_EQ(with_role(shrunk, Role::adjacent), (std::vector<std::string>{"v3", "v5", "v6"}));
    EXPECT_EQ(with_role(shrunk, Role::co_parent), (std::vector<std::string>{"v4"}));
  }
}

TEST(Oracle, AFalseNeighbourIsRemovedByTheShrinkPass) {
  Dag dag(4);  // Y→A→B←C→A keeps B adjacent
  dag.add_edge(0, 1), dag.add_edge(1, 2), dag.add_edge(3, 2), dag.add_edge(3, 1);
  EXPECT_EQ(search({dag, 0}, {.search = paper, .no_shrink = true}).members,
            (std::vector<std::string>{"v1", "v2", "v3"}));
  EXPECT_EQ(search({dag, 0}, {.search = paper}).members, (std::vector<std::string>{"v1", "v3"}));
  EXPECT_EQ(search({dag, 0}, {}).members, (std::vector<std::string>{"v1", "v3"}));
}

}  // namespace
}  // namespace macmi::blanket
