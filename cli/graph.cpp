// macmi graph: the graph of all variables, from files to the result.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <utility>

#include "base/files/whole_file.hpp"
#include "base/parallel.hpp"
#include "command_line.hpp"
#include "graph/node_test.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"
#include "macmi/graph.hpp"
#include "progress_line.hpp"
#include "result_files.hpp"
#include "select/selection_test.hpp"
#include "select_ranks.hpp"
#include "select_run.hpp"
#include "team.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

/// Feature maps are learned for one target; refused in words, since `macmi select` has the same option.
enum class NodeMaps { none, mlp, gru };

struct Arguments {
  GraphInputs inputs;
  NodeMaps maps = NodeMaps::none;
  std::string run, out, graphml, dot;
  Output output;
};

std::vector<Option> declare(Arguments& a) {
  std::vector<Option> options = declare(a.inputs);
  options.push_back({.name = "maps",
                     .field = choice_of(a.maps, {"none", "mlp", "gru"}),
                     .meaning = "Blocks and series are tested as their columns are: maps are learned for one target "
                                "(macmi train, macmi map), and a graph has none"});
  options.push_back({.name = "run",
                     .field = &a.run,
                     .meaning = "Directory that keeps every finished test, so that the same command goes on after an "
                                "interruption (docs/runs.md); none keeps nothing. Without it: macmi-runs/NAME, or none "
                                "with --json",
                     .value_name = "DIR"});
  options.push_back({.name = "out",
                     .field = &a.out,
                     .meaning = "Also write the result, as JSON, to this file",
                     .value_name = "FILE.json"});
  options.push_back({.name = "graphml",
                     .field = &a.graphml,
                     .meaning = "Also write the graph as GraphML, for networkx, igraph, Gephi or Cytoscape",
                     .value_name = "FILE"});
  options.push_back(
      {.name = "dot", .field = &a.dot, .meaning = "Also write the graph for Graphviz", .value_name = "FILE"});
  for (Option& option : declare(a.output)) options.push_back(std::move(option));
  return options;
}

std::string result_command(Arguments given) {
  const Arguments fresh;
  given.inputs.graph.select.test.threads = fresh.inputs.graph.select.test.threads;
  given.run = given.out = given.graphml = given.dot = "";
  given.output = {};
  Arguments defaults;
  return command_text("graph", declare(given), declare(defaults));
}

void check(const Arguments& a) {
  if (a.maps != NodeMaps::none)
    throw InputError(
        "--maps: a map keeps what a feature tells of one target, and in a graph every node is one. Leave it at none; "
        "or "
        "learn maps for the target that matters most (macmi train), apply them (macmi map) and give the graph those "
        "columns");
  for (const auto& [option, path] : {std::pair("--out", a.out), {"--graphml", a.graphml}, {"--dot", a.dot}})
    if (!path.empty()) expect_writable(option, path);
}

void write_results(const Arguments& a, const Graph& graph, const SelectionTiming& timing) {
  const std::string json = graph_json(graph, timing);
  if (!a.out.empty()) base::write_whole_file(a.out, json + "\n");
  if (!a.graphml.empty()) base::write_whole_file(a.graphml, graph_graphml(graph));
  if (!a.dot.empty()) base::write_whole_file(a.dot, graph_dot(graph));
  if (a.output.json)
    fmt::print("{}\n", json);
  else
    fmt::print("{}", graph_text(graph));
}

/// `ranks`: rank 0 of them is this process; nothing: it is alone.
void run(const Arguments& a, cluster::Ranks* ranks) {
  check(a);
  Arguments given = a, defaults;
  const std::string command = command_text("graph", declare(given), declare(defaults));
  std::unique_ptr<Run> kept;
  ProgressLine line(!a.output.quiet);
  Team team(ranks, [&](const std::string& why) {
    line.clear();
    if (kept) kept->flush();
    fmt::print(stderr, "macmi: {}\n", interruption_text(kept.get(), command, why));
  });
  const Dataset data = read_dataset(data_options(a.inputs));
  GraphPipeline pipeline(data, a.inputs);
  pipeline.set_command(result_command(a));
  RunSubject subject = pipeline.subject();
  subject.command = command;
  if (!a.output.quiet)
    for (const std::string& text : select::health_of(data)) fmt::print(stderr, "{}\n", text);
  kept = open_run({a.run, a.output.json, a.output.quiet}, subject, a.inputs.data);
  if (kept) pipeline.keep_in(*kept);
  team.run([&] {
    cluster::Coordinator* const others = team.coordinator();
    const TestTeam tests = others ? test_team(*others) : TestTeam{};
    GraphHooks hooks;
    hooks.cancelled = Interrupt::requested;
    hooks.on_progress = [&](const GraphProgress& p) {
      line.update({p.stage, "tests", p.finished, p.expected, kept ? kept->tests().reused : 0, p.current});
      return !Interrupt::requested();
    };
    if (others) hooks.team = &tests;
    const Graph graph = pipeline.learn(hooks);
    line.finish(fmt::format("{} tests", graph.tests));
    write_results(a, graph, pipeline.timing());
  });
}

/// A rank other than 0: makes tests as long as it is asked to.
void serve(cluster::Ranks& ranks, const GraphOptions& options) {
  const cluster::MakeRankTest make_test = [&](const cluster::SamplesNotice&, std::string_view samples,
                                              const std::function<bool()>& cancelled) {
    return graph::make_packed_node_test(samples, options, cancelled);
  };
  serve_team(ranks, {.make_test = make_test});
}

}  // namespace

Verb graph_verb() {
  auto a = std::make_shared<Arguments>();
  return {
      .name = "graph",
      .summary = "Learn the graph of all variables: who causes whom, as far as tests can tell",
      .details =
          "Joins two variables where no set of their neighbours makes them independent, and gives an edge a\n"
          "direction where the tests, or what you know, leave only one (a CPDAG; docs/graph.md). There is no target:\n"
          "every column, or block of columns, is a node. Assumes that no common cause is unmeasured.",
      .positional = {},
      .options = declare(*a),
      .examples = {"macmi simulate network --p 8 --n 500 --seed 1 --out net.csv && macmi graph --data net.csv "
                   "--graphml net.graphml --dot net.dot",
                   "macmi simulate network --p 6 --n 300 --out small.csv && macmi graph --data small.csv --method "
                   "fisherz --order 'x1,x2 | y' --never 'x3->x4' --json"},
      .run = [a] { run(*a, nullptr); },
      .run_on_ranks = lead_or_serve([a](cluster::Ranks& ranks) { run(*a, &ranks); },
                                    [a](cluster::Ranks& ranks) { serve(ranks, a->inputs.graph); })};
}

}  // namespace macmi::cli
