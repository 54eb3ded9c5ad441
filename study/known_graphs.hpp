#pragma once
// Networks with a known graph: published ones, read from MACMI_DATA, and simulated ones.
#include <cstdlib>
#include <fstream>
#include <map>
#include <optional>
#include <set>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "blanket/d_separation.hpp"
#include "experiments/simulations/bullseye.hpp"
#include "experiments/simulations/network.hpp"
#include "experiments/simulations/simulated_dataset.hpp"
#include "macmi/dataset.hpp"

namespace macmi::study {

/// Parents by node.
using Parents = std::map<std::string, std::set<std::string>>;

struct KnownGraph {
  std::string name, title;
  Dataset data;  ///< every node is a feature
  Parents parents;
};

/// A graph in bnlearn's notation: [A][B][C|A:B].
inline Parents bnlearn_parents(const std::string& text) {
  Parents parents;
  std::istringstream blocks(text);
  for (std::string block; std::getline(blocks, block, ']');) {
    const std::size_t bar = block.find('|');
    auto& above = parents[block.substr(1, bar == std::string::npos ? bar : bar - 1)];
    std::istringstream list(bar == std::string::npos ? "" : block.substr(bar + 1));
    for (std::string parent; std::getline(list, parent, ':');) above.insert(parent);
  }
  return parents;
}

/// Lines "A -> B" of a dagitty file.
inline Parents dagitty_parents(const std::string& path) {
  Parents parents;
  std::ifstream file(path);
  for (std::string line; std::getline(file, line);) {
    std::istringstream words(line);
    std::string from, arrow, to;
    if (!(words >> from >> arrow)) continue;
    if (arrow == "->" && words >> to)
      parents[to].insert(from), parents[from];
    else if (arrow.starts_with("["))
      parents[from];
  }
  return parents;
}

/// Lines "node,term,value" of the coefficients of a Gaussian network; terms in brackets are no nodes.
inline Parents coefficient_parents(const std::string& path) {
  Parents parents;
  std::ifstream file(path);
  std::string line;
  for (std::getline(file, line); std::getline(file, line);) {
    const std::size_t first = line.find(','), second = line.find(',', first + 1);
    auto& above = parents[line.substr(0, first)];
    const std::string term = line.substr(first + 1, second - first - 1);
    if (!term.starts_with("(")) above.insert(term);
  }
  return parents;
}

inline Parents parents_in(const blanket::Dag& dag, const std::vector<std::string>& names) {
  Parents parents;
  for (std::size_t node = 0; node < dag.nodes(); ++node) {
    parents[names[node]];
    for (const std::size_t parent : dag.parents(node)) parents[names[node]].insert(names[parent]);
  }
  return parents;
}

/// The target becomes a node like the others.
inline Dataset without_target(Dataset data) {
  data.features.push_back(std::move(data.target));
  data.target = {};
  return data;
}

inline KnownGraph simulated_graph(experiments::NetworkFamily family, std::size_t nodes, std::uint64_t seed) {
  const auto& word = experiments::network_family_names[static_cast<std::size_t>(family)];
  experiments::SimulatedNetwork network =
      experiments::simulate_network({.features = nodes - 1, .samples = 1000, .family = family, .seed = seed});
  const Parents parents = parents_in(network.dag, network.table.names);
  return {word + "-" + std::to_string(seed), word, without_target(experiments::as_dataset(std::move(network.table), 1)),
          parents};
}

inline KnownGraph bullseye_graph(std::size_t n, std::uint64_t seed) {
  const auto graph = experiments::BullseyeGraph::authors;
  return {"bullseye3d-" + std::to_string(seed), "3-D bullseye, blocks of three columns",
          without_target(experiments::as_dataset(experiments::bullseye3d(n, 0.3, graph, seed), 3)),
          parents_in(experiments::bullseye_dag(graph), {"x1", "x2", "x3", "x4", "x5", "x6", "y"})};
}

inline constexpr const char* alarm_graph =
    "[HISTORY|LVFAILURE][CVP|LVEDVOLUME][PCWP|LVEDVOLUME][HYPOVOLEMIA][LVEDVOLUME|HYPOVOLEMIA:LVFAILURE][LVFAILURE]"
    "[STROKEVOLUME|HYPOVOLEMIA:LVFAILURE][ERRLOWOUTPUT][HRBP|ERRLOWOUTPUT:HR][HREKG|ERRCAUTER:HR][ERRCAUTER]"
    "[HRSAT|ERRCAUTER:HR][INSUFFANESTH][ANAPHYLAXIS][TPR|ANAPHYLAXIS][EXPCO2|ARTCO2:VENTLUNG][KINKEDTUBE]"
    "[MINVOL|INTUBATION:VENTLUNG][FIO2][PVSAT|FIO2:VENTALV][SAO2|PVSAT:SHUNT][PAP|PULMEMBOLUS][PULMEMBOLUS]"
    "[SHUNT|INTUBATION:PULMEMBOLUS][INTUBATION][PRESS|INTUBATION:KINKEDTUBE:VENTTUBE][DISCONNECT][MINVOLSET]"
    "[VENTMACH|MINVOLSET][VENTTUBE|DISCONNECT:VENTMACH][VENTLUNG|INTUBATION:KINKEDTUBE:VENTTUBE]"
    "[VENTALV|INTUBATION:VENTLUNG][ARTCO2|VENTALV][CATECHOL|ARTCO2:INSUFFANESTH:SAO2:TPR][HR|CATECHOL]"
    "[CO|HR:STROKEVOLUME][BP|CO:TPR]";

/// The published network of this name; nothing without MACMI_DATA.
inline std::optional<KnownGraph> published_graph(const std::string& name) {
  const char* data = std::getenv("MACMI_DATA");
  if (data == nullptr) return std::nullopt;
  const std::string folder = std::string(data) + "/networks/";
  const std::map<std::string, std::pair<std::string, Parents>> known = {
      {"gaussian.test", {"gaussian.test.csv.gz", bnlearn_parents("[A][B][E][G][C|A:B][D|B][F|A:D:E:G]")}},
      {"LUCAS", {"lucas.csv", dagitty_parents(folder + "lucas_graph.txt")}},
      {"MAGIC-NIAB", {"magic-niab_1000_bamt.csv.gz", coefficient_parents(folder + "magic_niab.csv")}},
      {"ALARM", {"alarm_2000.csv", bnlearn_parents(alarm_graph)}}};
  const auto& [file, parents] = known.at(name);
  DataOptions read;
  read.data = {folder + file};
  for (const auto& [node, above] : parents) read.features.push_back(node);
  return KnownGraph{name, name, read_dataset(read), parents};
}

}  // namespace macmi::study
