// The Markov blanket of the 3-D bullseye on learned maps: recovery, type-I error, quality of the maps, CPU time.
//   study_maps_bullseye3d OUT_DIRECTORY [SEEDS [authors|caption [SAMPLES [K]]]]
#include <fstream>
#include <sstream>

#include "blanket/d_separation.hpp"
#include "experiments/simulations/bullseye.hpp"
#include "macmi/error.hpp"
#include "macmi/select.hpp"
#include "maps_data.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

using experiments::BullseyeGraph;

/// Nodes 0 … 5 are x1 … x6, 6 is y.
blanket::Dag dag_of(BullseyeGraph graph) {
  blanket::Dag dag(7);
  const std::vector<std::pair<std::size_t, std::size_t>> authors = {{1, 2}, {1, 3}, {3, 4}, {2, 5}, {4, 5},
                                                                    {3, 7}, {5, 7}, {4, 6}, {7, 6}};
  const std::vector<std::pair<std::size_t, std::size_t>> caption = {{1, 2}, {2, 3}, {1, 4}, {4, 5},
                                                                    {3, 7}, {5, 7}, {7, 6}, {1, 6}};
  for (const auto& [from, to] : graph == BullseyeGraph::authors ? authors : caption) dag.add_edge(from - 1, to - 1);
  return dag;
}

struct Outcome {
  bool adjacent = false, blanket = false;
  std::size_t statements = 0, rejected = 0;
  double worst_map = 1, training = 0;
  std::string found;
};

std::vector<double> magnitudes(const Feature& feature) {
  std::vector<double> r(feature.columns[0].values.size());
  for (const DataColumn& column : feature.columns)
    for (std::size_t i = 0; i < r.size(); ++i) r[i] += column.values[i] * column.values[i];
  for (double& v : r) v = std::sqrt(v);
  return r;
}

/// Every true statement "x_i is independent of y given S" with |S| up to 3, tested on the maps at 0.05.
void test_true_statements(const LearnedMaps& learned, const blanket::Dag& dag, const SelectOptions& options,
                          Outcome& out) {
  SelectOptions one = options;
  one.test.permutations = 199;
  one.test.stop = StopRule::exact;
  const auto test = make_selection_test(learned, one);
  for (std::size_t x = 0; x < 6; ++x)
    for (unsigned set = 0; set < 64; ++set) {
      std::vector<std::size_t> given;
      for (std::size_t s = 0; s < 6; ++s)
        if (set >> s & 1U) given.push_back(s);
      if (given.size() > 3 || (set >> x & 1U) || !blanket::d_separated(dag, x, 6, given)) continue;
      ++out.statements;
      out.rejected += test->test(x, given).p_value <= 0.05;
    }
}

Outcome run_seed(BullseyeGraph graph, std::size_t n, std::uint64_t seed, const SelectOptions& defaults) {
  const blanket::Dag dag = dag_of(graph);
  experiments::SimulatedTable made = experiments::bullseye3d(n, 0.3, graph, seed);
  const Dataset data = grouped(made.names, made.columns, 3);
  SelectOptions options = defaults;
  options.test.seed = seed;
  MapsOptions maps = options.maps;
  maps.seed = seed;
  Outcome out;
  const double before = cpu_seconds();
  const LearnedMaps learned = learn_maps(data, maps);
  out.training = cpu_seconds() - before;
  const Selection selection = select_features(data, learned, options);
  std::vector<std::string> adjacent, wanted_adjacent, wanted;
  for (const FeatureVerdict& f : selection.blanket.features)
    if (f.role == Role::adjacent) adjacent.push_back(f.name);
  for (const std::size_t node : blanket::markov_blanket(dag, 6)) {
    wanted.push_back(fmt::format("x{}", node + 1));
    const auto near = [&](const std::vector<std::size_t>& nodes) {
      return std::count(nodes.begin(), nodes.end(), node) > 0;
    };
    if (near(dag.parents(6)) || near(dag.children(6))) wanted_adjacent.push_back(wanted.back());
  }
  out.adjacent = adjacent == wanted_adjacent;
  out.blanket = selection.blanket.members == wanted;
  out.found = fmt::format("{}{}", fmt::join(selection.blanket.members, " "), learned.folds().empty() ? "" : " (folds)");
  for (std::size_t f = 0; f < 6; ++f)
    if (learned.folds().empty())
      out.worst_map = std::min(
          out.worst_map,
          std::abs(rank_correlation(magnitudes(data.features[f]), learned.mapped().features[f].columns[0].values)));
  test_true_statements(learned, dag, options, out);
  return out;
}

std::string text_of(const Outcome& o) {
  return fmt::format("{:d} {:d} {} {} {} {} {}", o.adjacent, o.blanket, o.statements, o.rejected, o.worst_map,
                     o.training, o.found);
}
Outcome outcome_of(const std::string& text) {
  Outcome o;
  std::istringstream fields(text);
  fields >> o.adjacent >> o.blanket >> o.statements >> o.rejected >> o.worst_map >> o.training >> std::ws;
  std::getline(fields, o.found);
  return o;
}

int run(const std::string& directory, std::size_t seeds, BullseyeGraph graph, std::size_t n, const std::string& k) {
  SelectOptions options;
  options.test.k = NeighbourCount::parse(k);
  options.no_evidence = true;  // the search alone: what follows it does not change the blanket
  options.stability.subsamples = 0;
  const char* name = graph == BullseyeGraph::authors ? "authors" : "caption";
  run::Ledger kept(directory + "/maps_bullseye3d.unfinished");
  Outcome total;
  std::size_t adjacent = 0, blanket = 0;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    const Outcome o = outcome_of(kept.value(fmt::format("{} {} {} {}", name, n, k, seed),
                                            [&] { return text_of(run_seed(graph, n, seed, options)); }));
    adjacent += o.adjacent, blanket += o.blanket;
    total.statements += o.statements, total.rejected += o.rejected;
    total.worst_map = std::min(total.worst_map, o.worst_map);
    total.training += o.training;
    fmt::print("seed {}: {}{} | {} of {} true statements rejected, worst map {:.5f}, training {:.1f} CPU s\n", seed,
               o.found, o.adjacent ? "" : " (roles wrong)", o.rejected, o.statements, o.worst_map, o.training);
    std::fflush(stdout);
  }
  // The samples as they are, one seed: what the maps are for.
  SelectOptions raw = options;
  raw.maps.kind = MapKind::none;
  experiments::SimulatedTable made = experiments::bullseye3d(n, 0.3, graph, 1);
  const Selection without = select_features(grouped(made.names, made.columns, 3), raw);
  const double type1 = static_cast<double>(total.rejected) / static_cast<double>(total.statements),
               count = static_cast<double>(seeds);
  const std::string text = fmt::format(
      "# The 3-D bullseye on learned maps ({} graph)\n\nWritten by `study_maps_bullseye3d`{}: n = {}, ε = 0.3, {} "
      "seeds, "
      "`--k {}`.\n\n"
      "| | |\n|---|---|\n| adjacent set exact | {} of {} |\n| whole blanket exact | {} of {} |\n| type-I error over {} "
      "true statements at 0.05 | {:.3f} |\n"
      "| smallest rank correlation of a map with its magnitude | {:.5f} |\n| training, CPU seconds (mean) | {:.1f} "
      "|\n"
      "| blanket on the samples as they are (seed 1) | {} |\n",
      name, measured_at(), n, seeds, k, adjacent, seeds, blanket, seeds, total.statements, type1, total.worst_map,
      total.training / count, fmt::join(without.blanket.members, " "));
  fmt::print("{}", text);
  std::ofstream(fmt::format("{}/maps_bullseye3d_{}.md", directory, name)) << text;
  kept.remove();
  const std::size_t wanted = graph == BullseyeGraph::authors ? 18 : 19;
  const bool good =
      20 * blanket >= wanted * seeds &&
      (graph == BullseyeGraph::caption || (20 * adjacent >= 19 * seeds && type1 <= 0.06 && total.worst_map > 0.998));
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  const auto number = [&](int at, std::size_t otherwise) {
    return argc > at ? std::strtoul(argv[at], nullptr, 10) : otherwise;
  };
  const bool caption = argc > 3 && std::string_view(argv[3]) == "caption";
  return macmi::study::run(
      argc > 1 ? argv[1] : ".", number(2, 20),
      caption ? macmi::experiments::BullseyeGraph::caption : macmi::experiments::BullseyeGraph::authors,
      number(4, 6000), argc > 5 ? argv[5] : "auto");
}
