// Section 5.2 of the paper: tests of conditional independence on the 3-D bullseye.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <nlohmann/json.hpp>

#include "base/parallel.hpp"
#include "experiments/bullseye3d_tests.hpp"
#include "experiments/reproduction.hpp"
#include "experiments/roc.hpp"
#include "macmi/error.hpp"

namespace macmi::experiments {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t y_node = 6, largest_set = 3;

/// "x is independent of y given S", true or not.
struct Statement {
  std::size_t x;
  std::vector<std::size_t> given;
  bool independent;
  bool for_slow = false;  ///< slow methods test it too
};

/// All 156 with |S| ≤ 3, small sets first. Slow methods get every true statement, and of the false ones an even choice
/// within each size of S.
std::vector<Statement> statements_of(BullseyeGraph graph, std::size_t for_slow) {
  const blanket::Dag dag = bullseye_dag(graph);
  std::vector<Statement> all;
  for (std::size_t size = 0; size <= largest_set; ++size)
    for (std::size_t x = 0; x < y_node; ++x)
      for (unsigned set = 0; set < 64; ++set) {
        std::vector<std::size_t> given;
        for (std::size_t s = 0; s < y_node; ++s)
          if (set >> s & 1U) given.push_back(s);
        if (given.size() == size && !(set >> x & 1U))
          all.push_back({x, given, blanket::d_separated(dag, x, y_node, given)});
      }
  const auto true_ones =
      static_cast<std::size_t>(std::count_if(all.begin(), all.end(), [](const Statement& s) { return s.independent; }));
  const std::size_t false_ones = all.size() - true_ones,
                    wanted = std::min(false_ones, std::max(for_slow, true_ones + 8) - true_ones);
  std::size_t seen = 0;
  for (Statement& s : all) {
    s.for_slow = s.independent || (seen + 1) * wanted / false_ones > seen * wanted / false_ones;
    seen += !s.independent;
  }
  return all;
}

const char* word(BullseyeGraph graph) {
  return graph == BullseyeGraph::authors ? "authors" : "caption";
}

struct Plan {
  std::vector<BullseyeGraph> graphs;
  std::vector<BullseyeMethod> methods;
  std::size_t n, seeds, permutations, for_slow;
};

Plan plan_of(const ReproduceOptions& o) {
  Plan plan;
  if (o.dag != BullseyeGraphs::caption) plan.graphs.push_back(BullseyeGraph::authors);
  if (o.dag != BullseyeGraphs::authors) plan.graphs.push_back(BullseyeGraph::caption);
  for (const BullseyeMethod& m : bullseye_methods())
    if (o.methods.empty() || std::count(o.methods.begin(), o.methods.end(), m.word)) plan.methods.push_back(m);
  for (const std::string& name : o.methods)
    if (std::none_of(bullseye_methods().begin(), bullseye_methods().end(),
                     [&](const BullseyeMethod& m) { return name == m.word; }))
      throw InputError(
          fmt::format("--methods: bullseye3d has no '{}'; there are proposed, paper, knn, sdcit, ccit", name));
  const auto given = [&](std::uint64_t value, std::size_t full, std::size_t quick) {
    return value ? value : o.quick ? quick : full;
  };
  plan.n = given(o.n, 6000, 2000);
  plan.seeds = given(o.seeds, 5, 1);
  plan.permutations = given(o.permutations, 200, 100);
  plan.for_slow = given(o.slow_statements, 40, 24);
  if (plan.n < 60) throw InputError("--n: bullseye3d needs at least 60 samples");
  return plan;
}

/// The results of one method for the statements of one data set.
struct Outcome {
  BullseyeGraph graph;
  std::size_t method;
  std::uint64_t seed;
  std::vector<std::size_t> tested;  ///< places of the statements
  std::vector<CiResult> results;
  std::string blanket;  ///< empty: not searched

  std::vector<ScoredStatement> scored(const std::vector<Statement>& all, bool slow_only) const {
    std::vector<ScoredStatement> scores;
    for (std::size_t t = 0; t < tested.size(); ++t)
      if (!slow_only || all[tested[t]].for_slow)
        scores.push_back({all[tested[t]].independent, results[t].p_value, results[t].z_score});
    return scores;
  }
};

using StatementsOf = std::map<BullseyeGraph, std::vector<Statement>>;

std::vector<Outcome> run_all(const Plan& plan, const StatementsOf& statements, run::Ledger& ledger,
                             const ReproduceOptions& options, const ProgressCallback& progress,
                             const ExperimentTeam* team) {
  const std::size_t threads = team ? team->size : options.threads;
  std::uint64_t number = 0;
  std::size_t expected = 0;
  for (const auto& [graph, all] : statements)
    for (const BullseyeMethod& m : plan.methods)
      expected += plan.seeds * static_cast<std::size_t>(std::count_if(
                                   all.begin(), all.end(), [&](const Statement& s) { return !m.slow || s.for_slow; }));
  run::Watch watch(progress, "tests", expected);
  std::vector<Outcome> outcomes;
  for (std::uint64_t seed = 1; seed <= plan.seeds; ++seed)
    for (const BullseyeGraph graph : plan.graphs)
      for (std::size_t m = 0; m < plan.methods.size(); ++m) {
        const BullseyeMethod& method = plan.methods[m];
        const BullseyeTest test(
            {graph, plan.n, seed, plan.permutations}, method, ledger, [&] { return watch.keep_going(); }, threads, team,
            number++);
        const std::vector<Statement>& all = statements.at(graph);
        Outcome outcome{graph, m, seed, {}, {}, {}};
        for (std::size_t s = 0; s < all.size(); ++s)
          if (!method.slow || all[s].for_slow) outcome.tested.push_back(s);
        outcome.results.resize(outcome.tested.size());
        const std::string stage = fmt::format("{}, {} graph, data set {}", method.label, word(graph), seed);
        base::parallel_for(outcome.tested.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
          for (std::size_t t = begin; t < end; ++t) {
            const Statement& s = all[outcome.tested[t]];
            const bool stored = test.stored(s.x, s.given);
            watch.begin(stage, fmt::format("x{} given {} others", s.x + 1, s.given.size()));
            outcome.results[t] = test.test(s.x, s.given);
            watch.done(stored);
          }
        });
        // Searches with slow tests ask for many more statements: on the first data set of a full run only.
        if (!method.slow || (seed == 1 && !options.quick)) {
          watch.begin(stage, "blanket");
          outcome.blanket = test.blanket();
        }
        outcomes.push_back(std::move(outcome));
      }
  return outcomes;
}

std::string interval_text(const std::vector<double>& areas) {
  const MeanInterval interval = mean_interval(areas);
  if (std::isnan(interval.half_width)) return fmt::format("{:.3f}", interval.mean);
  return fmt::format("{:.3f} ({:.3f} to {:.3f})", interval.mean, std::max(0.0, interval.mean - interval.half_width),
                     std::min(1.0, interval.mean + interval.half_width));
}

ResultTable area_table(const Plan& plan, const StatementsOf& statements, const std::vector<Outcome>& outcomes) {
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
      for (const Outcome& o : outcomes) {
        if (o.graph != graph || o.method != m) continue;
        all.push_back(roc_area(o.scored(statements.at(graph), false)));
        slow.push_back(roc_area(o.scored(statements.at(graph), true)));
        tested = o.tested.size();
        for (const ScoredStatement& s : o.scored(statements.at(graph), false))
          true_ones += s.independent, rejected += s.independent && s.p_value <= 0.05;
      }
      table.rows.push_back({word(graph), plan.methods[m].label, fmt::format("{}", tested), interval_text(all),
                            interval_text(slow), fmt::format("{} of {}", rejected, true_ones)});
    }
  return table;
}

ResultTable blanket_table(const Plan& plan, const std::vector<Outcome>& outcomes) {
  ResultTable table{
      "blankets",
      "The Markov blanket each method finds (true: x3 x4 x5 x6 of the authors' graph, x1 x3 x5 x6 of the caption's)",
      {"graph", "data set"},
      {},
      true};
  for (const BullseyeMethod& m : plan.methods) table.columns.emplace_back(m.label);
  for (const BullseyeGraph graph : plan.graphs)
    for (std::uint64_t seed = 1; seed <= plan.seeds; ++seed) {
      std::vector<std::string> row = {word(graph), fmt::format("{}", seed)};
      for (std::size_t m = 0; m < plan.methods.size(); ++m)
        for (const Outcome& o : outcomes)
          if (o.graph == graph && o.seed == seed && o.method == m)
            row.push_back(o.blanket.empty() ? "not searched" : o.blanket);
      table.rows.push_back(std::move(row));
    }
  return table;
}

ResultTable statement_table(const Plan& plan, const StatementsOf& statements, const std::vector<Outcome>& outcomes) {
  ResultTable table{"statements",
                    "Every test",
                    {"graph", "data set", "method", "x", "given", "independent", "p", "z", "statistic"},
                    {},
                    false};
  for (const Outcome& o : outcomes)
    for (std::size_t t = 0; t < o.tested.size(); ++t) {
      const Statement& s = statements.at(o.graph)[o.tested[t]];
      std::vector<std::string> given;
      for (const std::size_t g : s.given) given.push_back(fmt::format("x{}", g + 1));
      table.rows.push_back({word(o.graph), fmt::format("{}", o.seed), plan.methods[o.method].word,
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
  const auto members = blanket::markov_blanket(dag, y_node);
  const auto name = [](std::size_t node) { return node == y_node ? std::string("Y") : fmt::format("X{}", node + 1); };
  const bool authors = graph == BullseyeGraph::authors;
  ordered_json figure = {{"type", "dag"},
                         {"file", fmt::format("graph-{}", word(graph))},
                         {"title", authors ? "The graph of the authors' published code"
                                           : "A graph with the blanket that the paper's caption states"},
                         {"note", "Blue: the Markov blanket of Y (black)."},
                         {"nodes", ordered_json::array()},
                         {"edges", ordered_json::array()}};
  for (std::size_t node = 0; node < dag.nodes(); ++node) {
    figure["nodes"].push_back({{"name", name(node)},
                               {"x", places[node].x},
                               {"y", places[node].y},
                               {"target", node == y_node},
                               {"member", std::count(members.begin(), members.end(), node) > 0}});
    for (const std::size_t child : dag.children(node)) figure["edges"].push_back({name(node), name(child)});
  }
  return figure;
}

ordered_json roc_figure(const Plan& plan, BullseyeGraph graph, const StatementsOf& statements,
                        const std::vector<Outcome>& outcomes) {
  ordered_json figure = {
      {"type", "roc"},
      {"file", fmt::format("roc-{}", word(graph))},
      {"title", fmt::format("Telling independence from dependence, {} graph", word(graph))},
      {"note", fmt::format("n = {}, ε = 0.3, {} data set{} pooled. Further to the upper left is better; the dotted "
                           "diagonal is guessing. SDCIT and CCIT: {} of {} statements.",
                           plan.n, plan.seeds, plan.seeds == 1 ? "" : "s",
                           std::count_if(statements.at(graph).begin(), statements.at(graph).end(),
                                         [](const Statement& s) { return s.for_slow; }),
                           statements.at(graph).size())},
      {"curves", ordered_json::array()}};
  for (std::size_t m = 0; m < plan.methods.size(); ++m) {
    std::vector<ScoredStatement> pooled;
    std::vector<double> areas;
    for (const Outcome& o : outcomes) {
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

SelectOptions bullseye3d_test_options(const ReproduceOptions& options, std::uint64_t number) {
  const Plan plan = plan_of(options);  // numbers count as run_all goes through it
  const std::size_t methods = plan.methods.size(), graphs = plan.graphs.size();
  const BullseyeCase the_case{plan.graphs[number / methods % graphs], plan.n, number / methods / graphs + 1,
                              plan.permutations};
  return bullseye_test_options(the_case, plan.methods[number % methods]);
}

Reproduction reproduce_bullseye3d(const std::string& directory, const ReproduceOptions& options,
                                  const ProgressCallback& progress, const ExperimentTeam* team) {
  const Plan plan = plan_of(options);
  run::Ledger ledger(directory);
  StatementsOf statements;
  for (const BullseyeGraph graph : plan.graphs) statements[graph] = statements_of(graph, plan.for_slow);
  const std::vector<Outcome> outcomes = run_all(plan, statements, ledger, options, progress, team);

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
