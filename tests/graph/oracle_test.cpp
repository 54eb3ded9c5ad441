// The graph from tests that are never wrong, against all graphs that are Markov equivalent to the true one.
#include <gtest/gtest.h>

#include <mutex>

#include "blanket/graphs.hpp"
#include "graph/cpdags.hpp"
#include "macmi/graph.hpp"

namespace macmi::graph {
namespace {

using blanket::Dag;

/// Reads independence off the graph and remembers what was asked.
class Oracle final : public PairCiTest {
 public:
  explicit Oracle(const Dag& dag) : dag_(dag), names_(testing::node_names(dag.nodes())) {}
  std::span<const std::string> nodes() const override { return names_; }
  CiResult test(std::size_t a, std::size_t b, std::span<const std::size_t> given) const override {
    const std::lock_guard lock(mutex_);
    std::set<std::size_t> set(given.begin(), given.end());
    twice_ += !asked_.insert({std::min(a, b), std::max(a, b), set}).second;
    const bool independent = blanket::d_separated(dag_, a, b, given);
    CiResult result;
    result.n = 1000;
    result.statistic = result.effect = independent ? 0 : 1;
    result.p_value = independent ? 1 : 0;
    return result;
  }
  std::size_t twice() const { return twice_; }

 private:
  const Dag& dag_;
  std::vector<std::string> names_;
  mutable std::mutex mutex_;
  mutable std::set<std::tuple<std::size_t, std::size_t, std::set<std::size_t>>> asked_;
  mutable std::size_t twice_ = 0;
};

std::size_t place(const std::string& name) {
  return std::stoul(name.substr(1));
}

MixedGraph mixed(const Graph& graph) {
  MixedGraph result(graph.nodes.size());
  for (const GraphEdge& edge : graph.edges) {
    result.join(place(edge.a), place(edge.b));
    if (edge.directed) result.orient(place(edge.a), place(edge.b));
  }
  return result;
}

GraphOptions options(GraphStart start, std::size_t largest_set) {
  GraphOptions options;
  options.start = start;
  options.select.search.delta = largest_set;
  options.select.test.threads = 1;
  return options;
}

/// Random graphs of 2 to 6 nodes and 5 densities.
template <class Check>
void for_random_graphs(std::size_t graphs, const char* stream, const Check& check) {
  base::RandomStream random(base::StreamKey(5).with(stream));
  for (std::size_t g = 0; g < graphs; ++g) {
    const std::size_t nodes = 2 + g % 5;
    const double density = 0.15 + 0.15 * static_cast<double>(random.below(5));
    SCOPED_TRACE("graph " + std::to_string(g));
    check(testing::random_dag(nodes, density, random), random);
    if (::testing::Test::HasFatalFailure()) return;
  }
}

TEST(GraphOracle, IsTheGraphOfTheEquivalenceClassFromEitherStart) {
  std::size_t with_direction = 0, without = 0;
  for_random_graphs(3000, "exact", [&](const Dag& dag, base::RandomStream&) {
    const MixedGraph truth = testing::oriented_by_enumeration(dag);
    for (const GraphStart start : {GraphStart::all, GraphStart::blankets}) {
      const Oracle oracle(dag);
      const Graph found = learn_graph(oracle, options(start, dag.nodes()));
      ASSERT_EQ(mixed(found), truth) << "start " << static_cast<int>(start);
      ASSERT_EQ(oracle.twice(), 0u) << "a question was asked again";
      for (const Separation& s : found.separations) {
        std::vector<std::size_t> given;
        for (const std::string& name : s.by.given) given.push_back(place(name));
        ASSERT_TRUE(testing::separated_in_moral_graph(dag, place(s.a), place(s.b), given));
      }
    }
    for (std::size_t a = 0; a < dag.nodes(); ++a)
      for (std::size_t b = a + 1; b < dag.nodes(); ++b)
        if (truth.adjacent(a, b)) ++(truth.undirected(a, b) ? without : with_direction);
  });
  EXPECT_GT(with_direction, 1000u);
  EXPECT_GT(without, 1000u);
}

/// What is known is said of the true graph: orders of some nodes, and single edges.
TEST(GraphOracle, BackgroundKnowledgeGivesTheMaximallyOrientedGraph) {
  std::size_t more = 0;
  for_random_graphs(2000, "known", [&](const Dag& dag, base::RandomStream& random) {
    GraphOptions o = options(GraphStart::all, dag.nodes());
    std::set<testing::Arrow> barred;
    for (const auto& [a, b] : testing::arrows_of(dag)) {
      if (random.uniform() < 0.7) continue;
      const bool must = random.uniform() < 0.5;
      (must ? o.must : o.never).push_back(must ? fmt::format("v{}->v{}", a, b) : fmt::format("v{} -> v{}", b, a));
      barred.insert({b, a});
    }
    const MixedGraph truth =
        testing::oriented_by_enumeration(dag, [&](const testing::Arrow& arrow) { return !barred.contains(arrow); });
    ASSERT_EQ(mixed(learn_graph(Oracle(dag), o)), truth);
    more += !(truth == testing::oriented_by_enumeration(dag));
  });
  EXPECT_GT(more, 200u);
}

TEST(GraphOracle, AnOrderOfAllNodesGivesTheTrueGraph) {
  for_random_graphs(500, "order", [&](const Dag& dag, base::RandomStream&) {
    std::vector<std::size_t> left;
    for (std::size_t node = 0; node < dag.nodes(); ++node) left.push_back(node);
    std::string order;
    while (!left.empty())  // parents first
      for (std::size_t i = 0; i < left.size(); ++i) {
        const auto& parents = dag.parents(left[i]);
        if (std::any_of(parents.begin(), parents.end(),
                        [&](std::size_t p) { return std::find(left.begin(), left.end(), p) != left.end(); }))
          continue;
        order += fmt::format("{}v{}", order.empty() ? "" : " | ", left[i]);
        left.erase(left.begin() + static_cast<std::ptrdiff_t>(i));
        break;
      }
    GraphOptions o = options(GraphStart::all, dag.nodes());
    o.order = order;
    MixedGraph truth(dag.nodes());
    for (const auto& [a, b] : testing::arrows_of(dag)) truth.join(a, b), truth.orient(a, b);
    ASSERT_EQ(mixed(learn_graph(Oracle(dag), o)), truth) << order;
  });
}

/// Larger graphs, threads, and the order of the nodes.
TEST(GraphOracle, ThreadsAndTheOrderOfNodesChangeNothing) {
  base::RandomStream random(base::StreamKey(5).with("wide"));
  for (int graph = 0; graph < 5; ++graph) {
    const Dag dag = testing::random_dag(20, 0.12, random);
    GraphOptions o = options(GraphStart::all, 4);
    const Graph one = learn_graph(Oracle(dag), o);
    o.select.test.threads = 4;
    const Graph four = learn_graph(Oracle(dag), o);
    EXPECT_EQ(graph_json(one), graph_json(four));
    EXPECT_EQ(mixed(one), mixed(learn_graph(Oracle(dag), options(GraphStart::blankets, 19))));
  }
}

}  // namespace
}  // namespace macmi::graph
