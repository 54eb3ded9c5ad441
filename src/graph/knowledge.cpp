#include "graph/knowledge.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <optional>

#include "base/name_list.hpp"
#include "base/suggest.hpp"
#include "macmi/error.hpp"

namespace macmi::graph {
namespace {

std::string trimmed(const std::string& text) {
  const std::size_t first = text.find_first_not_of(' ');
  return first == std::string::npos ? "" : text.substr(first, text.find_last_not_of(' ') - first + 1);
}

struct NamedEdge {
  std::size_t a = 0, b = 0;
  bool directed = false;
};

class Reader {
 public:
  Reader(const std::vector<std::string>& names, const char* option) : names_(names), option_(option) {}

  std::size_t node(const std::string& name) const {
    if (const auto found = find(name)) return *found;
    throw InputError(fmt::format("{}: there is no node '{}'{}", option_, name, base::did_you_mean(name, names_)));
  }

  /// Names may hold the sign of an edge themselves: the first place that leaves two known names counts.
  NamedEdge edge(const std::string& text) const {
    for (const char* sign : {"->", "--"})
      for (std::size_t at = text.find(sign); at != std::string::npos; at = text.find(sign, at + 1)) {
        const auto a = find(trimmed(text.substr(0, at))), b = find(trimmed(text.substr(at + 2)));
        if (a && b) return checked({*a, *b, sign[1] == '>'}, text);
      }
    const std::size_t at = std::min(text.find("->"), text.find("--"));
    if (at == std::string::npos)
      throw InputError(
          fmt::format("{} '{}': give an edge as 'a->b', or 'a--b' where the direction does not matter", option_, text));
    node(trimmed(text.substr(0, at)));
    return {0, node(trimmed(text.substr(at + 2))), false};  // one of the two is not there
  }

 private:
  std::optional<std::size_t> find(const std::string& name) const {
    const auto found = std::lower_bound(names_.begin(), names_.end(), name);
    if (found == names_.end() || *found != name) return std::nullopt;
    return static_cast<std::size_t>(found - names_.begin());
  }
  NamedEdge checked(NamedEdge edge, const std::string& text) const {
    if (edge.a == edge.b) throw InputError(fmt::format("{} '{}': an edge joins two different nodes", option_, text));
    return edge;
  }
  const std::vector<std::string>& names_;
  const char* option_;
};

/// The part of the order that each node is in; nothing: it is in none.
std::vector<std::optional<std::size_t>> read_order(const std::string& text, const std::vector<std::string>& names) {
  const Reader reader(names, "--order");
  std::vector<std::optional<std::size_t>> part_of(names.size());
  std::size_t part = 0;
  for (std::size_t begin = 0; begin <= text.size(); ++part) {
    const std::size_t end = std::min(text.find('|', begin), text.size());
    for (const std::string& name : base::split_names(trimmed(text.substr(begin, end - begin)))) {
      std::optional<std::size_t>& place = part_of[reader.node(trimmed(name))];
      if (place) throw InputError(fmt::format("--order: '{}' is named twice", trimmed(name)));
      place = part;
    }
    begin = end + 1;
  }
  return part_of;
}

}  // namespace

MixedGraph Knowledge::known_directions() const {
  MixedGraph known = required_;
  for (std::size_t a = 0; a < nodes_; ++a)
    for (std::size_t b = 0; b < nodes_; ++b)
      if (a != b && known.undirected(a, b) && !may_cause(b, a)) known.orient(a, b);
  return known;
}

void Knowledge::apply(MixedGraph& graph) const {
  for (std::size_t a = 0; a < nodes_; ++a)
    for (std::size_t b = 0; b < nodes_; ++b)
      if (a != b && graph.undirected(a, b) && !may_cause(b, a) && !graph.leads_to(b, a)) graph.orient(a, b);
}

Knowledge read_knowledge(const KnowledgeTexts& texts, const std::vector<std::string>& names) {
  Knowledge knowledge(names.size());
  for (const std::string& text : texts.never) {
    const NamedEdge edge = Reader(names, "--never").edge(text);
    knowledge.bar(edge.a, edge.b);
    if (!edge.directed) knowledge.bar(edge.b, edge.a);
  }
  const auto part_of = read_order(texts.order, names);
  for (std::size_t a = 0; a < names.size(); ++a)
    for (std::size_t b = 0; b < names.size(); ++b)
      if (part_of[a] && part_of[b] && *part_of[a] > *part_of[b]) knowledge.bar(a, b);
  for (const std::string& text : texts.must) {
    const NamedEdge edge = Reader(names, "--must").edge(text);
    const bool possible = edge.directed ? knowledge.may_cause(edge.a, edge.b) : knowledge.may_join(edge.a, edge.b);
    if (!possible)
      throw InputError(fmt::format("--must '{}' contradicts --never, --order or another --must: leave one out", text));
    knowledge.require(edge.a, edge.b);
    if (edge.directed) knowledge.bar(edge.b, edge.a);
  }
  for (std::size_t a = 0; a < names.size(); ++a)
    for (std::size_t b = 0; b < names.size(); ++b)
      if (a != b && knowledge.must_join(a, b) && !knowledge.may_cause(b, a) && knowledge.known_to_lead(b, a))
        throw InputError(fmt::format("--must: the edges form a cycle through '{}' and '{}'; a graph of causes has none",
                                     names[a], names[b]));
  return knowledge;
}

}  // namespace macmi::graph
