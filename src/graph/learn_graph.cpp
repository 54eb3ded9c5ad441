// From tests of pairs to the graph: skeleton, directions, and what the user is told.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <tuple>

#include "graph/joined_blankets.hpp"
#include "graph/orientation.hpp"
#include "graph/skeleton.hpp"

namespace macmi::graph {
namespace {

/// The nodes but for those that are copies of an earlier one.
class WithoutCopies final : public PairCiTest {
 public:
  WithoutCopies(const PairCiTest& test, const std::vector<std::vector<std::string>>& duplicates) : test_(test) {
    for (std::vector<std::string> group : duplicates) {
      std::sort(group.begin(), group.end());
      for (std::size_t i = 1; i < group.size(); ++i) original_of_[group[i]] = group.front();
    }
    for (std::size_t node = 0; node < test.nodes().size(); ++node) {
      if (original_of_.contains(test.nodes()[node])) continue;
      names_.push_back(test.nodes()[node]);
      index_of_.push_back(node);
    }
  }
  std::span<const std::string> nodes() const override { return names_; }
  CiResult test(std::size_t a, std::size_t b, std::span<const std::size_t> given) const override {
    std::vector<std::size_t> all;
    for (const std::size_t node : given) all.push_back(index_of_[node]);
    return test_.test(index_of_[a], index_of_[b], all);
  }
  const std::map<std::string, std::string>& original_of() const { return original_of_; }

 private:
  const PairCiTest& test_;
  std::vector<std::string> names_;
  std::vector<std::size_t> index_of_;
  std::map<std::string, std::string> original_of_;
};

MixedGraph complete(std::size_t nodes) {
  MixedGraph graph(nodes);
  for (std::size_t a = 0; a < nodes; ++a)
    for (std::size_t b = a + 1; b < nodes; ++b) graph.join(a, b);
  return graph;
}

/// Where the time was up, a pair that was never asked is no edge.
void drop_unasked(const Knowledge& knowledge, const AllFindings& findings, MixedGraph& graph) {
  for (std::size_t a = 0; a < graph.nodes(); ++a)
    for (std::size_t b = a + 1; b < graph.nodes(); ++b)
      if (!findings.of(a, b).weakest && !knowledge.must_join(a, b)) graph.remove(a, b);
}

/// The state of one search, to be told of.
struct Learned {
  PairLedger& ledger;
  Knowledge knowledge;
  MixedGraph graph;
  AllFindings findings;
  bool partial = false;
  std::size_t contradictions = 0;

  Evidence evidence(const PairFindings::Asked& asked) const {
    Evidence evidence{{}, asked.result};
    for (const std::size_t node : asked.given) evidence.given.push_back(ledger.names()[node]);
    return evidence;
  }
};

void search(Learned& learned, const GraphOptions& options) {
  const SelectOptions select = resolved(options.select);
  const SkeletonRules rules{select.search.alpha, select.search.min_cmi, select.search.fdr, select.search.delta,
                            select.search.threads};
  try {
    if (options.start == GraphStart::blankets)
      learned.graph = join_blankets(learned.ledger, learned.knowledge, select.search, rules.threads, learned.findings);
    find_skeleton(learned.ledger, learned.knowledge, rules, learned.graph, learned.findings);
    if (!options.first_separators)
      find_surest_separators(learned.ledger, learned.knowledge, rules, learned.graph, learned.findings);
  } catch (const TimeUsedUp&) {
    learned.partial = true;
    drop_unasked(learned.knowledge, learned.findings, learned.graph);
  }
  const auto separator = [&](std::size_t a, std::size_t b) -> std::optional<Separator> {
    const auto& by = learned.findings.of(a, b).separated_by;
    if (!by) return std::nullopt;
    return Separator{by->given, resolved_p(by->result)};
  };
  learned.contradictions = orient(learned.graph, learned.knowledge, separator);
}

GraphEdge edge_of(const Learned& learned, std::size_t a, std::size_t b) {
  GraphEdge edge;
  const auto& names = learned.ledger.names();
  const bool turned = learned.graph.directed(b, a);
  edge.a = names[turned ? b : a], edge.b = names[turned ? a : b];
  edge.directed = turned || learned.graph.directed(a, b);
  edge.required = learned.knowledge.must_join(a, b);
  if (const auto& weakest = learned.findings.of(a, b).weakest) edge.weakest = learned.evidence(*weakest);
  return edge;
}

void add_pairs(const Learned& learned, Graph& graph) {
  const auto& names = learned.ledger.names();
  for (std::size_t a = 0; a < names.size(); ++a)
    for (std::size_t b = a + 1; b < names.size(); ++b) {
      if (learned.graph.adjacent(a, b)) {
        graph.edges.push_back(edge_of(learned, a, b));
        continue;
      }
      Separation separation{names[a], names[b], {}, !learned.knowledge.may_join(a, b)};
      if (const auto& by = learned.findings.of(a, b).separated_by) separation.by = learned.evidence(*by);
      graph.separations.push_back(std::move(separation));
    }
}

void add_copies(const std::map<std::string, std::string>& original_of, Graph& graph) {
  for (const auto& [copy, original] : original_of) {
    graph.nodes.push_back(copy);
    GraphEdge edge;
    edge.a = original, edge.b = copy;
    edge.copy = true;
    graph.edges.push_back(std::move(edge));
    graph.notes.push_back(
        fmt::format("'{}' holds the same values as '{}': it was not tested, and its other edges are those of '{}'",
                    copy, original, original));
  }
  std::sort(graph.nodes.begin(), graph.nodes.end());
}

void add_notes(const Learned& learned, const GraphOptions& options, Graph& graph) {
  if (learned.partial)
    graph.notes.push_back(fmt::format(
        "partial: --budget {} ended the search in the stage '{}'; edges are those asked and not yet separated, "
        "and where the time ends depends on the machine",
        options.select.search.budget, graph.stopped_in));
  if (learned.contradictions > 0)
    graph.notes.push_back(
        fmt::format("{} arrows of colliders contradict surer ones or what is known, and were left out: tests make "
                    "errors, or a common cause was not measured",
                    learned.contradictions));
  for (const Separation& separation : graph.separations)
    if (separation.by.result.undecidable)
      graph.notes.push_back(
          fmt::format("'{}' and '{}' have no edge, but {} leaves so little of one of them that an edge cannot be ruled "
                      "out",
                      separation.a, separation.b, fmt::join(separation.by.given, ", ")));
  for (const GraphEdge& edge : graph.edges)
    if (edge.required && !edge.copy && !(resolved_p(edge.weakest.result) <= options.select.search.alpha))
      graph.notes.push_back(
          fmt::format("'{}' and '{}' are joined because of --must; the tests alone would part them", edge.a, edge.b));
}

}  // namespace
}  // namespace macmi::graph

namespace macmi {

Graph learn_graph(const PairCiTest& test, const GraphOptions& options, const GraphHooks& hooks,
                  const std::vector<std::vector<std::string>>& duplicates) {
  const graph::WithoutCopies nodes(test, duplicates);
  graph::PairLedger ledger(nodes, options.select.search.budget, hooks);
  const std::size_t count = ledger.names().size();
  graph::Learned learned{ledger, graph::read_knowledge({options.must, options.never, options.order}, ledger.names()),
                         graph::complete(count), graph::AllFindings(count)};
  graph::search(learned, options);
  Graph found;
  found.nodes = learned.ledger.names();
  found.tests = learned.ledger.count();
  found.partial = learned.partial;
  if (learned.partial) found.stopped_in = learned.ledger.stage();
  graph::add_pairs(learned, found);
  graph::add_copies(nodes.original_of(), found);
  std::sort(found.edges.begin(), found.edges.end(),
            [](const GraphEdge& x, const GraphEdge& y) { return std::tie(x.a, x.b) < std::tie(y.a, y.b); });
  graph::add_notes(learned, options, found);
  return found;
}

}  // namespace macmi
