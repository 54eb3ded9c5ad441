#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "macmi/graph.hpp"

namespace macmi {
namespace {

struct Row {
  std::string edge, nats, p, given, found;
};

std::string edge_name(const GraphEdge& edge) {
  return fmt::format("{} {} {}", edge.a, edge.directed ? "->" : "--", edge.b);
}

Row row_of(const GraphEdge& edge, std::uint64_t subsamples) {
  if (edge.copy) return {edge_name(edge), "", "", "the same values", ""};
  const CiResult& r = edge.weakest.result;
  Row row{edge_name(edge), fmt::format("{:.3f}", r.effect), fmt::format("{:.1g}", resolved_p(r)),
          edge.weakest.given.empty() ? "nothing" : fmt::format("{}", fmt::join(edge.weakest.given, ", ")), ""};
  if (subsamples > 0) {
    row.found = fmt::format("{} of {}", edge.found_in, subsamples);
    if (edge.directed) row.found += fmt::format(" ({} ->)", edge.directed_in);
  }
  return row;
}

/// Characters as a reader counts them.
std::size_t width(const std::string& text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return (c & 0xC0) != 0x80; }));
}
std::string padded(const std::string& text, std::size_t to) {
  return text + std::string(to - std::min(to, width(text)), ' ');
}

std::string table(const Graph& graph) {
  std::vector<Row> rows{{"edge", "nats", "p", "weakest given", graph.subsamples > 0 ? "in halves" : ""}};
  if (graph.subsamples > 0 && graph.share != 0.5) rows.front().found = "in parts";
  for (const GraphEdge& edge : graph.edges) rows.push_back(row_of(edge, graph.subsamples));
  std::size_t edges = 0, nats = 0, ps = 0, found = 0;
  for (const Row& row : rows) {
    edges = std::max(edges, width(row.edge)), nats = std::max(nats, row.nats.size());
    ps = std::max(ps, row.p.size()), found = std::max(found, row.found.size());
  }
  std::string text;
  for (const Row& row : rows)
    text += fmt::format("  {}  {:>{}}  {:>{}}  {}{}\n", padded(row.edge, edges), row.nats, nats, row.p, ps,
                        found > 0 ? fmt::format("{:<{}}  ", row.found, found) : "", row.given);
  return text;
}

}  // namespace

std::string graph_summary(const Graph& graph) {
  return fmt::format("{} edges among {} nodes{}", graph.edges.size(), graph.nodes.size(),
                     graph.partial ? ", partial" : "");
}

std::string graph_text(const Graph& graph) {
  std::string text =
      fmt::format("Graph: {} ({} samples, {} tests)\n", graph_summary(graph), graph.samples, graph.tests);
  if (!graph.edges.empty())
    text += fmt::format(
        "\n{}\n  a -> b: a causes b in every graph that these tests allow, if no common cause is unmeasured;\n"
        "  a -- b: the tests allow both directions.\n"
        "  nats, p: of the test that came nearest to separating the two, and what was given in it.\n",
        table(graph));
  std::vector<std::string> alone;
  for (const std::string& node : graph.nodes)
    if (std::none_of(graph.edges.begin(), graph.edges.end(),
                     [&](const GraphEdge& edge) { return edge.a == node || edge.b == node; }))
      alone.push_back(node);
  if (!alone.empty()) text += fmt::format("\nWithout an edge: {}\n", fmt::join(alone, ", "));
  for (const std::string& note : graph.notes) text += fmt::format("\nNote: {}.\n", note);
  return text;
}

}  // namespace macmi
