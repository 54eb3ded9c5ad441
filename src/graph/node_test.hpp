#pragma once
#include <functional>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "macmi/graph.hpp"
#include "select/dataset_test.hpp"

namespace macmi::graph {

/// The tests of all pairs of nodes, in the form that runs keep and clusters spread: as features there are the nodes, to
/// be given, and after them the pairs, to be tested. A stored test is thus found again from either end of its pair.
class NodeTest final : public SelectionTest {
 public:
  explicit NodeTest(std::unique_ptr<select::DatasetTest> test);
  std::span<const std::string> features() const override { return names_; }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override;
  CiResult test_again(std::size_t x, std::span<const std::size_t> given, const CiResult& earlier) const override;
  std::optional<CiResult> decided(const CiResult& earlier) const override { return test_->decided(earlier); }
  std::string packed() const override { return test_->packed(); }

  std::size_t nodes() const { return nodes_; }

 private:
  std::unique_ptr<select::DatasetTest> test_;
  std::size_t nodes_;
  std::vector<std::string> names_;
  std::vector<std::pair<std::size_t, std::size_t>> pairs_;
};

/// The place of a pair of different nodes among the features of NodeTest.
std::size_t pair_place(std::size_t nodes, std::size_t a, std::size_t b);

/// A test whose features are those of NodeTest, kept or spread perhaps, as the search of a graph sees it.
class PairsOf final : public PairCiTest {
 public:
  PairsOf(const TargetCiTest& test, std::size_t nodes) : test_(test), nodes_(nodes) {}
  std::span<const std::string> nodes() const override { return test_.features().first(nodes_); }
  CiResult test(std::size_t a, std::size_t b, std::span<const std::size_t> given) const override {
    return test_.test(pair_place(nodes_, a, b), given);
  }

 private:
  const TargetCiTest& test_;
  std::size_t nodes_;
};

/// The tests of a data set's features with each other. `cancelled` as in make_selection_test.
std::unique_ptr<NodeTest> make_node_test(const Dataset& data, const GraphOptions& options,
                                         const std::function<bool()>& cancelled);
/// The same from NodeTest::packed(), in another process.
std::unique_ptr<NodeTest> make_packed_node_test(std::string_view packed, const GraphOptions& options,
                                                const std::function<bool()>& cancelled);

}  // namespace macmi::graph
