#include "graph/node_test.hpp"

#include <algorithm>
#include <utility>

#include "select/prepared_samples.hpp"
#include "select/selection_test.hpp"

namespace macmi::graph {
namespace {

/// Between the names of a pair: a sign that names do not hold.
constexpr char between = '\x1f';

std::size_t pairs_among(std::size_t nodes) {
  return nodes * (nodes - 1) / 2;
}

}  // namespace

std::size_t pair_place(std::size_t nodes, std::size_t a, std::size_t b) {
  if (a > b) std::swap(a, b);
  return nodes + a * nodes - a * (a + 1) / 2 + (b - a - 1);
}

NodeTest::NodeTest(std::unique_ptr<select::DatasetTest> test)
    : test_(std::move(test)),
      nodes_(test_->features().size()),
      names_(test_->features().begin(), test_->features().end()) {
  for (std::size_t a = 0; a < nodes_; ++a)
    for (std::size_t b = a + 1; b < nodes_; ++b) {
      pairs_.emplace_back(a, b);
      names_.push_back(std::min(names_[a], names_[b]) + between + std::max(names_[a], names_[b]));
    }
}

CiResult NodeTest::test(std::size_t x, std::span<const std::size_t> given) const {
  const auto& [a, b] = pairs_.at(x - nodes_);
  return test_->between(a, b, given, nullptr);
}

CiResult NodeTest::test_again(std::size_t x, std::span<const std::size_t> given, const CiResult& earlier) const {
  const auto& [a, b] = pairs_.at(x - nodes_);
  return test_->between(a, b, given, &earlier);
}

std::unique_ptr<NodeTest> make_node_test(const Dataset& data, const GraphOptions& options,
                                         const std::function<bool()>& cancelled) {
  return std::make_unique<NodeTest>(
      select::make_pair_test(data, resolved(options.select), pairs_among(data.features.size()), cancelled));
}

std::unique_ptr<NodeTest> make_packed_node_test(std::string_view packed, const GraphOptions& options,
                                                const std::function<bool()>& cancelled) {
  const SelectOptions chosen = resolved(options.select);
  const std::size_t nodes = select::unpack(packed).features.size();
  return std::make_unique<NodeTest>(select::make_packed_pair_test(packed, chosen, pairs_among(nodes), cancelled));
}

}  // namespace macmi::graph
