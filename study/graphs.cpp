// How well `macmi graph` recovers graphs that are known: published networks, and simulated ones of 20 nodes by family.
//   study_graphs OUT_DIRECTORY [SEEDS]
//   study_graphs OUT_DIRECTORY write    the simulated data and all true graphs, for bench/peers/graphs.py
// What is measured is kept in graphs.unfinished: an interrupted study goes on. Settings were chosen on seeds below 100;
// the study begins at 100. Needs MACMI_DATA for the published networks.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <ctime>
#include <filesystem>

#include "graph/node_test.hpp"
#include "known_graphs.hpp"
#include "macmi/graph.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

constexpr std::uint64_t first_seed = 100;
constexpr experiments::NetworkFamily families[] = {
    experiments::NetworkFamily::linear, experiments::NetworkFamily::additive, experiments::NetworkFamily::mlp};

struct Recipe {
  std::string title;
  Method method;
};
const std::vector<Recipe> recipes = {{"k-NN", Method::knn}, {"Fisher z", Method::fisherz}};

/// Tests that are never wrong.
class Oracle final : public PairCiTest {
 public:
  explicit Oracle(const Parents& parents) : dag_(parents.size()) {
    for (const auto& [node, above] : parents) names_.push_back(node);
    for (const auto& [node, above] : parents)
      for (const std::string& parent : above) dag_.add_edge(place(parent), place(node));
  }
  std::span<const std::string> nodes() const override { return names_; }
  CiResult test(std::size_t a, std::size_t b, std::span<const std::size_t> given) const override {
    CiResult result;
    result.p_value = blanket::d_separated(dag_, a, b, given) ? 1 : 0;
    result.effect = 1 - result.p_value;
    return result;
  }

 private:
  std::size_t place(const std::string& name) const {
    return static_cast<std::size_t>(std::lower_bound(names_.begin(), names_.end(), name) - names_.begin());
  }
  std::vector<std::string> names_;
  blanket::Dag dag_;
};

Graph true_graph(const Parents& parents) {
  GraphOptions options;
  for (const auto& [node, above] : parents)
    options.select.search.delta = std::max<std::uint64_t>(options.select.search.delta, above.size());
  return learn_graph(Oracle(parents), options);
}

using Edges = std::map<std::pair<std::string, std::string>, std::string>;  // by sorted names: "--", or who is the cause

Edges edges_of(const Graph& graph) {
  Edges edges;
  for (const GraphEdge& e : graph.edges) edges[{std::min(e.a, e.b), std::max(e.a, e.b)}] = e.directed ? e.a : "--";
  return edges;
}

struct Score {
  double f1 = 0, precision = 0, recall = 0, hamming = 0, tests = 0, cpu_seconds = 0;
};

/// Structural Hamming distance: pairs that are joined in one graph alone, or otherwise (Tsamardinos et al. 2006).
Score compare(const Edges& truth, const Edges& found) {
  Score s;
  double both = 0;
  for (const auto& [pair, way] : truth) {
    const auto same = found.find(pair);
    both += same != found.end();
    s.hamming += same == found.end() || same->second != way;
  }
  s.hamming += static_cast<double>(found.size()) - both;
  s.precision = found.empty() ? 1 : both / static_cast<double>(found.size());
  s.recall = truth.empty() ? 1 : both / static_cast<double>(truth.size());
  s.f1 = 2 * both / std::max<double>(1, static_cast<double>(truth.size() + found.size()));
  return s;
}

Score measure(const KnownGraph& known, const Recipe& recipe) {
  GraphInputs inputs;
  inputs.graph.select.method = recipe.method;
  const std::clock_t start = std::clock();
  const Graph graph = GraphPipeline(known.data, inputs).learn();
  Score s = compare(edges_of(true_graph(known.parents)), edges_of(graph));
  s.tests = static_cast<double>(graph.tests);
  s.cpu_seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  return s;
}

std::string text_of(const Score& s) {
  return fmt::format("{} {} {} {} {} {}", s.f1, s.precision, s.recall, s.hamming, s.tests, s.cpu_seconds);
}
Score score_of(const std::string& text) {
  Score s;
  std::istringstream(text) >> s.f1 >> s.precision >> s.recall >> s.hamming >> s.tests >> s.cpu_seconds;
  return s;
}

struct Row {
  std::string network, title;
  const Recipe* recipe;
  Score score;
};

/// One published network, or the mean over seeds of one family.
std::vector<Row> rows_of(const std::string& network, const std::vector<KnownGraph>& graphs, run::Ledger& kept) {
  std::vector<Row> rows;
  for (const Recipe& recipe : recipes) {
    Score mean;
    const auto count = static_cast<double>(graphs.size());
    for (const KnownGraph& graph : graphs) {
      const Score s =
          score_of(kept.value(graph.name + ", " + recipe.title, [&] { return text_of(measure(graph, recipe)); }));
      mean.f1 += s.f1 / count, mean.precision += s.precision / count, mean.recall += s.recall / count;
      mean.hamming += s.hamming / count, mean.tests += s.tests / count, mean.cpu_seconds += s.cpu_seconds / count;
    }
    rows.push_back(
        {network, fmt::format("{} nodes, n = {}", graphs[0].parents.size(), graphs[0].data.samples()), &recipe, mean});
    fmt::print("{:<14} {:<24} F1 {:.3f} precision {:.3f} recall {:.3f} SHD {:.1f}, {:.0f} tests, {:.1f} CPU s\n",
               network, recipe.title, mean.f1, mean.precision, mean.recall, mean.hamming, mean.tests, mean.cpu_seconds);
    std::fflush(stdout);
  }
  return rows;
}

std::string markdown(const std::vector<Row>& rows, std::size_t seeds) {
  std::string page = fmt::format(
      "# Graphs that are known\n\n"
      "`macmi graph` on published networks (one data set each) and on simulated networks of 20 nodes by family (means "
      "over\n{} seeds; `macmi simulate network`). F1, precision and recall are those of the edges whatever their "
      "direction; SHD is the\nstructural Hamming distance to the true CPDAG: pairs joined in one of the two graphs "
      "alone, or with another direction.\nCPU seconds on the machine at hand. `k-NN` and `Fisher z` have default "
      "options but for `--method`. Written by `make study`\n(study/graphs.cpp), which asserts the thresholds.\n",
      seeds);
  std::string network;
  for (const Row& row : rows) {
    if (row.network != network)
      page += fmt::format(
          "\n## {}\n\n{}.\n\n| recipe | F1 | precision | recall | SHD | tests | CPU s |\n"
          "|---|---|---|---|---|---|---|\n",
          network = row.network, row.title);
    const Score& s = row.score;
    page += fmt::format("| {} | {:.3f} | {:.3f} | {:.3f} | {:.1f} | {:.0f} | {:.1f} |\n", row.recipe->title, s.f1,
                        s.precision, s.recall, s.hamming, s.tests, s.cpu_seconds);
  }
  return page;
}

bool expect(bool holds, const std::string& what) {
  fmt::print("{}: {}\n", holds ? "holds" : "FAILS", what);
  return holds;
}

/// The thresholds this study stands for.
bool check(const std::vector<Row>& rows) {
  const auto f1 = [&](const std::string& network, const std::string& recipe) {
    for (const Row& row : rows)
      if (row.network == network && row.recipe->title == recipe) return row.score.f1;
    return std::nan("");
  };
  bool good = true;
  for (const auto& [network, least] :
       {std::pair("gaussian.test", 0.99), {"LUCAS", 0.95}, {"MAGIC-NIAB", 0.83}, {"ALARM", 0.92}, {"additive", 0.8}})
    if (const double found = f1(network, "k-NN"); !std::isnan(found))
      good &= expect(found >= least, fmt::format("{}: F1 at least {}: {:.3f}", network, least, found));
  good &= expect(f1("additive", "k-NN") >= f1("additive", "Fisher z") + 0.2,
                 fmt::format("nonlinear networks far above Fisher z: {:.3f} and {:.3f}", f1("additive", "k-NN"),
                             f1("additive", "Fisher z")));
  return good;
}

std::vector<std::pair<std::string, std::vector<KnownGraph>>> all_graphs(std::size_t seeds) {
  std::vector<std::pair<std::string, std::vector<KnownGraph>>> all;
  for (const char* name : {"gaussian.test", "LUCAS", "MAGIC-NIAB", "ALARM"})
    if (auto graph = published_graph(name)) {
      all.emplace_back(name, std::vector<KnownGraph>{});
      all.back().second.push_back(std::move(*graph));
    }
  const auto over_seeds = [&](const std::string& name, const auto& make) {
    std::vector<KnownGraph> graphs;
    for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) graphs.push_back(make(seed));
    all.emplace_back(name, std::move(graphs));
  };
  for (const auto family : families)
    over_seeds(experiments::network_family_names[static_cast<std::size_t>(family)],
               [&](std::uint64_t seed) { return simulated_graph(family, 20, seed); });
  over_seeds("3-D bullseye", [](std::uint64_t seed) { return bullseye_graph(2000, seed); });
  return all;
}

/// The true graph, a line per edge: "a,--,b" or "a,->,b"; simulated samples beside it.
void write(const KnownGraph& known, const std::string& folder) {
  std::ofstream truth(folder + "/" + known.name + ".edges");
  for (const GraphEdge& e : true_graph(known.parents).edges)
    truth << fmt::format("{},{},{}\n", e.a, e.directed ? "->" : "--", e.b);
  std::ofstream file(folder + "/" + known.name + ".csv");
  for (std::size_t row = 0; row <= known.data.samples(); ++row) {
    std::string line;
    for (const Feature& feature : known.data.features)
      for (const DataColumn& c : feature.columns) {
        if (!line.empty()) line += ",";
        line += row == 0             ? c.name
                : c.is_categorical() ? fmt::format("\"{}\"", c.labels[static_cast<std::size_t>(c.codes[row - 1])])
                                     : fmt::format("{}", c.values[row - 1]);
      }
    file << line << "\n";
  }
}

int run(const std::string& out, const std::string& what) {
  const bool only_write = what == "write";
  const std::size_t seeds = only_write || what.empty() ? 2 : std::stoul(what);
  const auto all = all_graphs(seeds);
  if (only_write) {
    std::filesystem::create_directories(out);
    for (const auto& [name, graphs] : all)
      for (const KnownGraph& graph : graphs) write(graph, out);
    return 0;
  }
  run::Ledger kept(out + "/graphs.unfinished");
  std::vector<Row> rows;
  for (const auto& [name, graphs] : all)
    for (Row& row : rows_of(name, graphs, kept)) rows.push_back(std::move(row));
  std::ofstream(out + "/graphs.md") << markdown(rows, seeds);
  kept.remove();
  return check(rows) ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY [SEEDS | write]\n", argv[0]);
    return 2;
  }
  try {
    return macmi::study::run(argv[1], argc > 2 ? argv[2] : "");
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
