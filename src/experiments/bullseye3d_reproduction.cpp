// Section 5.2 of the paper: tests of conditional independence on the 3-D bullseye, as tables and figures.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "experiments/bullseye3d_outcomes.hpp"
#include "experiments/reproduction.hpp"
#include "experiments/roc.hpp"

namespace macmi::experiments {
namespace {

using nlohmann::ordered_json;

std::string interval_text(const std::vector<double>& areas) {
  const MeanInterval interval = mean_interval(areas);
  if (std::isnan(interval.half_width)) return fmt::format("{:.3f}", interval.mean);
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", interval.mean, std::max(0.0, interval.mean - interval.half_width),
                     std::min(1.0, interval.mean + interval.half_width));
}

ResultTable area_table(const BullseyePlan& plan, const BullseyeStatements& statements,
                       const std::vector<BullseyeOutcome>& outcomes) {
  ResultTable table{
      "areas",
      "Area under the ROC curve for declaring conditional independence: mean and 95% interval over data sets",
      {"graph", "method", "statements", "AUC", "AUC, shared statements", "rejected at 0.05"},
      {},
      true};
  for (const BullseyeGraph graph : plan.graphs)
    for (std::size_t m = 0; m < plan.methods.size(); ++m) {
      std::vector<double> all, slow;
      std::size_t tested = 0, true_ones = 0, rejected = 0;
      for (const BullseyeOutcome& o : outcomes) {
        if (o.graph != graph || o.method != m) continue;
        all.push_back(roc_area(o.scored(statements.at(graph), false)));
        slow.push_back(roc_area(o.scored(statements.at(graph), true)));
        tested = o.tested.size();
        for (const ScoredStatement& s : o.scored(statements.at(graph), false))
          true_ones += s.independent, rejected += s.independent && s.p_value <= 0.05;
      }
      table.rows.push_back({graph_word(graph), plan.methods[m].label, fmt::format("{}", tested), interval_text(all),
                            interval_text(slow), fmt::format("{} of {}", rejected, true_ones)});
    }
  return table;
}

ResultTable blanket_table(const BullseyePlan& plan, const std::vector<BullseyeOutcome>& outcomes) {
  ResultTable table{
      "blankets",
      "The Markov blanket each method finds (true: x3 x4 x5 x6 of the authors' graph, x1 x3 x5 x6 of the caption's)",
      {"graph", "data set"},
      {},
      true};
  for (const BullseyeMethod& m : plan.methods) table.columns.emplace_back(m.label);
  for (const BullseyeGraph graph : plan.graphs)
    for (std::uint64_t seed = 1; seed <= plan.seeds; ++seed) {
      std::vector<std::string> row = {graph_word(graph), fmt::format("{}", seed)};
      for (std::size_t m = 0; m < plan.methods.size(); ++m)
        for (const BullseyeOutcome& o : outcomes)
          if (o.graph == graph && o.seed == seed && o.method == m)
            row.push_back(o.blanket.empty() ? "not searched" : o.blanket);
      table.rows.push_back(std::move(row));
    }
  return table;
}

ResultTable statement_table(const BullseyePlan& plan, const BullseyeStatements& statements,
                            const std::vector<BullseyeOutcome>& outcomes) {
  ResultTable table{"statements",
                    "Every test",
                    {"graph", "data set", "method", "x", "given", "independent", "p", "z", "statistic"},
                    {},
                    false};
  for (const BullseyeOutcome& o : outcomes)
    for (std::size_t t = 0; t < o.tested.size(); ++t) {
      const BullseyeStatement& s = statements.at(o.graph)[o.tested[t]];
      std::vector<std::string> given;
      for (const std::size_t g : s.given) given.push_back(fmt::format("x{}", g + 1));
      table.rows.push_back({graph_word(o.graph), fmt::format("{}", o.seed), plan.methods[o.method].word,
                            fmt::format("x{}", s.x + 1), fmt::format("{}", fmt::join(given, " ")),
                            s.independent ? "1" : "0", fmt::format("{}", o.results[t].p_value),
                            fmt::format("{}", o.results[t].z_score), fmt::format("{}", o.results[t].statistic)});
    }
  return table;
}

ordered_json dag_figure(BullseyeGraph graph) {
  struct Place {
    double x, y;
  };
  const std::vector<Place> places =
      graph == BullseyeGraph::authors
          ? std::vector<Place>{{0, 0.6}, {1, 0}, {1, 1.2}, {2, 2}, {2, 0}, {4, 1.7}, {3, 0.9}}
          : std::vector<Place>{{0, 1}, {1, 2}, {2, 2}, {1, 0}, {2, 0}, {4, 1.6}, {3, 0.7}};
  const blanket::Dag dag = bullseye_dag(graph);
  const auto members = blanket::markov_blanket(dag, bullseye_target);
  const auto name = [](std::size_t node) {
    return node == bullseye_target ? std::string("Y") : fmt::format("X{}", node + 1);
  };
  const bool authors = graph == BullseyeGraph::authors;
  ordered_json figure = {{"type", "dag"},
                         {"file", fmt::format("graph-{}", graph_word(graph))},
                         {"title", authors ? "The graph of the authors' published code"
                                           : "A graph with the blanket that the paper's caption states"},
                         {"note", "Blue: the Markov blanket of Y (black)."},
                         {"nodes", ordered_json::array()},
                         {"edges", ordered_json::array()}};
  for (std::size_t node = 0; node < dag.nodes(); ++node) {
    figure["nodes"].push_back({{"name", name(node)},
                               {"x", places[node].x},
                               {"y", places[node].y},
                               {"target", node == bullseye_target},
                               {"member", std::count(members.begin(), members.end(), node) > 0}});
    for (const std::size_t child : dag.children(node)) figure["edges"].push_back({name(node), name(child)});
  }
  return figure;
}

ordered_json roc_figure(const BullseyePlan& plan, BullseyeGraph graph, const BullseyeStatements& statements,
                        const std::vector<BullseyeOutcome>& outcomes) {
  ordered_json figure = {
      {"type", "roc"},
      {"file", fmt::format("roc-{}", graph_word(graph))},
      {"title", fmt::format("Telling independence from dependence, {} graph", graph_word(graph))},
      {"note", fmt::format("n = {}, ε = 0.3, {} data set{} pooled. Further to the upper left is better; the dotted "
                           "diagonal is guessing. SDCIT and CCIT: {} of {} statements.",
                           plan.n, plan.seeds, plan.seeds == 1 ? "" : "s",
                           std::count_if(statements.at(graph).begin(), statements.at(graph).end(),
                                         [](const BullseyeStatement& s) { return s.for_slow; }),
                           statements.at(graph).size())},
      {"curves", ordered_json::array()}};
  for (std::size_t m = 0; m < plan.methods.size(); ++m) {
    std::vector<ScoredStatement> pooled;
    std::vector<double> areas;
    for (const BullseyeOutcome& o : outcomes) {
      if (o.graph != graph || o.method != m) continue;
      const auto scores = o.scored(statements.at(graph), false);
      pooled.insert(pooled.end(), scores.begin(), scores.end());
      areas.push_back(roc_area(scores));
    }
    ordered_json points = ordered_json::array();
    for (const auto& [x, y] : roc_curve(pooled)) points.push_back({x, y});
    figure["curves"].push_back(
        {{"label", fmt::format("{}: AUC {:.3f}", plan.methods[m].label, mean_interval(areas).mean)},
         {"points", points}});
  }
  return figure;
}

}  // namespace

Reproduction reproduce_bullseye3d(const std::string& directory, const ReproduceOptions& options,
                                  const ProgressCallback& progress, const ExperimentTeam* team) {
  const BullseyePlan plan = bullseye_plan(options);
  run::Ledger ledger(directory);
  BullseyeStatements statements;
  for (const BullseyeGraph graph : plan.graphs) statements[graph] = bullseye_statements(graph, plan.for_slow);
  const std::vector<BullseyeOutcome> outcomes = bullseye_outcomes(plan, statements, ledger, options, progress, team);

  Reproduction result;
  result.name = "bullseye3d";
  result.tables = {area_table(plan, statements, outcomes), blanket_table(plan, outcomes),
                   statement_table(plan, statements, outcomes)};
  std::vector<std::string> areas;
  for (const auto& row : result.tables.front().rows)
    areas.push_back(
        fmt::format("{}{} {}", row[1], plan.graphs.size() > 1 ? fmt::format(" ({} graph)", row[0]) : "", row[3]));
  result.answer = "Which test tells conditional independence from dependence when every feature is a point in space?";
  result.consequence = fmt::format("Area under the ROC curve: {}.", fmt::join(areas, "; "));
  result.facts = {"Section 5.2: the 3-D bullseye", fmt::format("n = {}", plan.n),
                  fmt::format("{} data set{} per graph", plan.seeds, plan.seeds == 1 ? "" : "s"),
                  fmt::format("{} permutations", plan.permutations)};
  ordered_json figures = ordered_json::array();
  for (const BullseyeGraph graph : plan.graphs) figures.push_back(dag_figure(graph));
  for (const BullseyeGraph graph : plan.graphs) figures.push_back(roc_figure(plan, graph, statements, outcomes));
  result.figures = figures.dump();
  return result;
}

}  // namespace macmi::experiments
