#include "graph/joined_blankets.hpp"

#include <algorithm>

#include "base/parallel.hpp"

namespace macmi::graph {
namespace {

/// One node as the target of a search, the others as its features.
class NodeAsTarget final : public TargetCiTest {
 public:
  NodeAsTarget(PairLedger& ledger, std::size_t target) : ledger_(ledger), target_(target), names_(ledger.names()) {
    names_.erase(names_.begin() + static_cast<std::ptrdiff_t>(target));
  }
  std::span<const std::string> features() const override { return names_; }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
    std::vector<std::size_t> ranks;
    for (const std::size_t feature : given) ranks.push_back(rank_of(feature));
    return ledger_.ask(rank_of(x), target_, std::move(ranks));
  }

 private:
  std::size_t rank_of(std::size_t feature) const { return feature < target_ ? feature : feature + 1; }
  PairLedger& ledger_;
  std::size_t target_;
  std::vector<std::string> names_;
};

std::size_t rank_of(const PairLedger& ledger, const std::string& name) {
  const auto& names = ledger.names();
  return static_cast<std::size_t>(std::lower_bound(names.begin(), names.end(), name) - names.begin());
}

void remember(const PairLedger& ledger, const Evidence& evidence, PairFindings& findings) {
  std::vector<std::size_t> given;
  for (const std::string& name : evidence.given) given.push_back(rank_of(ledger, name));
  findings.add(given, evidence.result);
  if (!findings.separated_by || resolved_p(evidence.result) > resolved_p(findings.separated_by->result))
    findings.separated_by = {std::move(given), evidence.result};
}

}  // namespace

MixedGraph join_blankets(PairLedger& ledger, const Knowledge& knowledge, const SearchOptions& options,
                         std::size_t threads, AllFindings& findings) {
  const std::size_t nodes = ledger.names().size();
  std::vector<Blanket> blankets(nodes);
  SearchOptions each = options;
  each.threads = 1;  // one search per thread
  each.budget = "";  // the ledger has it
  ledger.enter("blankets", nodes * nodes);
  base::parallel_for(nodes, 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t node = begin; node < end; ++node)
      blankets[node] = find_blanket(NodeAsTarget(ledger, node), each, {}, {});
  });
  MixedGraph graph(nodes);
  const auto in_blanket = [&](std::size_t node, std::size_t of) {
    return std::binary_search(blankets[of].members.begin(), blankets[of].members.end(), ledger.names()[node]);
  };
  for (std::size_t a = 0; a < nodes; ++a)
    for (std::size_t b = a + 1; b < nodes; ++b)
      if (knowledge.must_join(a, b) || (in_blanket(a, b) && in_blanket(b, a))) graph.join(a, b);
  for (std::size_t node = 0; node < nodes; ++node)
    for (const FeatureVerdict& verdict : blankets[node].features)
      if (const std::size_t other = rank_of(ledger, verdict.name);
          verdict.role == Role::excluded && verdict.deciding && !graph.adjacent(node, other))
        remember(ledger, *verdict.deciding, findings.of(node, other));
  return graph;
}

}  // namespace macmi::graph
