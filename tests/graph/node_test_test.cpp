// Tests of pairs on samples, and graphs of samples in which nothing is linked.
#include "graph/node_test.hpp"

#include <gtest/gtest.h>

#include "select/small_dataset.hpp"

namespace macmi::graph {
namespace {

Dataset nodes_only(std::vector<DataColumn> columns) {
  Dataset data = testing::dataset_of(std::move(columns));
  data.features.push_back(std::move(data.target));
  data.target = {};
  return data;
}

GraphOptions on_one_thread(Method method) {
  GraphOptions options;
  options.select.method = method;
  options.select.test.threads = 1;
  return options;
}

void expect_same(const CiResult& a, const CiResult& b) {
  EXPECT_EQ(a.statistic, b.statistic);
  EXPECT_EQ(a.p_value, b.p_value);
  EXPECT_EQ(a.permutations, b.permutations);
}

TEST(NodeTest, PairsHaveTheirPlacesAfterTheNodes) {
  std::size_t next = 5;
  for (std::size_t a = 0; a < 5; ++a)
    for (std::size_t b = a + 1; b < 5; ++b, ++next) {
      EXPECT_EQ(pair_place(5, a, b), next);
      EXPECT_EQ(pair_place(5, b, a), next);
    }
}

/// The question is symmetric, and so are the bits of its answer, also where the columns come in another order, and
/// where another process tests packed samples.
TEST(NodeTest, TheAnswerIsTheSameFromBothEnds) {
  const GraphOptions options = on_one_thread(Method::knn);
  std::vector<DataColumn> columns = testing::curved_network(120, 1);
  const Dataset data = nodes_only(columns);
  std::reverse(columns.begin(), columns.end());
  const Dataset turned = nodes_only(columns);
  const auto test = make_node_test(data, options, {}), other = make_node_test(turned, options, {});
  const std::string packed = test->packed();
  const auto far = make_packed_node_test(packed, options, {});
  const PairsOf pairs(*test, 7), of_turned(*other, 7), of_far(*far, 7);
  const auto at = [](const PairsOf& of, const std::string& name) {
    return static_cast<std::size_t>(std::find(of.nodes().begin(), of.nodes().end(), name) - of.nodes().begin());
  };
  for (const auto& [x, y, given] : {std::tuple("a", "t", ""), {"c", "d", "t"}, {"e", "t", "a"}}) {
    const auto ask = [&, x = x, y = y, given = std::string(given)](const PairsOf& of, bool swapped) {
      std::vector<std::size_t> z;
      if (!given.empty()) z.push_back(at(of, given));
      return swapped ? of.test(at(of, y), at(of, x), z) : of.test(at(of, x), at(of, y), z);
    };
    const CiResult expected = ask(pairs, false);
    expect_same(ask(pairs, true), expected);
    expect_same(ask(of_turned, false), expected);
    expect_same(ask(of_far, true), expected);
  }
}

/// Benjamini-Hochberg at 0.05 where every pair is independent: at most one data set in twenty has any edge. Of 100 with
/// 12 columns more than 12 would come with a probability below 0.002.
TEST(GraphOfSamples, UnlinkedColumnsStayUnlinked) {
  int with_edges = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    base::RandomStream random(base::StreamKey(seed).with("unlinked"));
    std::vector<DataColumn> columns;
    for (int c = 0; c < 12; ++c) {
      std::vector<double> values(100);
      for (double& value : values) value = random.normal();
      columns.push_back(testing::numbers(fmt::format("x{}", c), values));
    }
    const Dataset data = nodes_only(std::move(columns));
    with_edges += !GraphPipeline(data, {{}, on_one_thread(Method::fisherz)}).learn().edges.empty();
  }
  EXPECT_LE(with_edges, 12);
}

}  // namespace
}  // namespace macmi::graph
