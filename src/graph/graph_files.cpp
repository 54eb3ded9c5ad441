// The graph in formats of other programs.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "macmi/graph.hpp"

namespace macmi {
namespace {

std::string as_xml(const std::string& text) {
  std::string xml;
  for (const char c : text) {
    if (c == '&')
      xml += "&amp;";
    else if (c == '<')
      xml += "&lt;";
    else if (c == '>')
      xml += "&gt;";
    else if (c == '"')
      xml += "&quot;";
    else if (static_cast<unsigned char>(c) >= 0x20 || c == '\t' || c == '\n')
      xml += c;  // XML has no other control characters
  }
  return xml;
}

std::string as_dot(const std::string& text) {
  std::string quoted = "\"";
  for (const char c : text) {
    if (c == '"' || c == '\\') quoted += '\\';
    quoted += c;
  }
  return quoted + "\"";
}

/// A number that every reader of XML takes as a double.
std::string xml_number(double value) {
  return std::isnan(value) ? "NaN" : fmt::format("{}", value);
}

constexpr const char* graphml_head = R"(<?xml version="1.0" encoding="UTF-8"?>
<graphml xmlns="http://graphml.graphdrawing.org/xmlns">
  <key id="name" for="node" attr.name="name" attr.type="string"/>
  <key id="type" for="edge" attr.name="type" attr.type="string"/>
  <key id="effect" for="edge" attr.name="effect" attr.type="double"/>
  <key id="p_value" for="edge" attr.name="p_value" attr.type="double"/>
  <key id="found_in" for="edge" attr.name="found_in" attr.type="double"/>
)";

}  // namespace

std::string graph_graphml(const Graph& graph) {
  const auto place = [&](const std::string& name) {
    return std::lower_bound(graph.nodes.begin(), graph.nodes.end(), name) - graph.nodes.begin();
  };
  std::string text = graphml_head;
  text += "  <graph edgedefault=\"directed\">\n";
  for (const std::string& node : graph.nodes)
    text += fmt::format("    <node id=\"n{}\"><data key=\"name\">{}</data></node>\n", place(node), as_xml(node));
  for (const GraphEdge& edge : graph.edges) {
    text += fmt::format("    <edge source=\"n{}\" target=\"n{}\" directed=\"{}\"><data key=\"type\">{}</data>",
                        place(edge.a), place(edge.b), edge.directed, as_xml(edge.directed ? "->" : "--"));
    if (!edge.copy)
      text += fmt::format("<data key=\"effect\">{}</data><data key=\"p_value\">{}</data>",
                          xml_number(edge.weakest.result.effect), xml_number(resolved_p(edge.weakest.result)));
    if (graph.subsamples > 0)
      text += fmt::format("<data key=\"found_in\">{}</data>",
                          static_cast<double>(edge.found_in) / static_cast<double>(graph.subsamples));
    text += "</edge>\n";
  }
  return text + "  </graph>\n</graphml>\n";
}

std::string graph_dot(const Graph& graph) {
  std::string text = "digraph {\n  node [shape=box, style=rounded];\n";
  for (const std::string& node : graph.nodes) text += fmt::format("  {};\n", as_dot(node));
  for (const GraphEdge& edge : graph.edges) {
    std::string looks = edge.directed ? "" : "dir=none";
    if (edge.copy) looks += ", style=dotted";
    if (!edge.copy)
      looks += fmt::format("{}tooltip=\"{:.3f} nats\"", looks.empty() ? "" : ", ", edge.weakest.result.effect);
    text += fmt::format("  {} -> {} [{}];\n", as_dot(edge.a), as_dot(edge.b), looks);
  }
  return text + "}\n";
}

}  // namespace macmi
