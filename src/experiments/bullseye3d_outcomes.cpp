#include "experiments/bullseye3d_outcomes.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/parallel.hpp"
#include "macmi/error.hpp"

namespace macmi::experiments {
namespace {

constexpr std::size_t largest_set = 3;

}  // namespace

std::vector<BullseyeStatement> bullseye_statements(BullseyeGraph graph, std::size_t for_slow) {
  const blanket::Dag dag = bullseye_dag(graph);
  std::vector<BullseyeStatement> all;
  for (std::size_t size = 0; size <= largest_set; ++size)
    for (std::size_t x = 0; x < bullseye_target; ++x)
      for (unsigned set = 0; set < 64; ++set) {
        std::vector<std::size_t> given;
        for (std::size_t s = 0; s < bullseye_target; ++s)
          if (set >> s & 1U) given.push_back(s);
        if (given.size() == size && !(set >> x & 1U))
          all.push_back({x, given, blanket::d_separated(dag, x, bullseye_target, given)});
      }
  const auto true_ones = static_cast<std::size_t>(
      std::count_if(all.begin(), all.end(), [](const BullseyeStatement& s) { return s.independent; }));
  const std::size_t false_ones = all.size() - true_ones,
                    wanted = std::min(false_ones, std::max(for_slow, true_ones + 8) - true_ones);
  std::size_t seen = 0;
  for (BullseyeStatement& s : all) {
    s.for_slow = s.independent || (seen + 1) * wanted / false_ones > seen * wanted / false_ones;
    seen += !s.independent;
  }
  return all;
}

const char* graph_word(BullseyeGraph graph) {
  return graph == BullseyeGraph::authors ? "authors" : "caption";
}

BullseyePlan bullseye_plan(const ReproduceOptions& o) {
  BullseyePlan plan;
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

std::vector<BullseyeOutcome> bullseye_outcomes(const BullseyePlan& plan, const BullseyeStatements& statements,
                                               run::Ledger& ledger, const ReproduceOptions& options,
                                               const ProgressCallback& progress, const ExperimentTeam* team) {
  const std::size_t threads = team ? team->size : options.threads;
  std::uint64_t number = 0;
  std::size_t expected = 0;
  for (const auto& [graph, all] : statements)
    for (const BullseyeMethod& m : plan.methods)
      expected +=
          plan.seeds * static_cast<std::size_t>(std::count_if(
                           all.begin(), all.end(), [&](const BullseyeStatement& s) { return !m.slow || s.for_slow; }));
  run::Watch watch(progress, "tests", expected);
  std::vector<BullseyeOutcome> outcomes;
  for (std::uint64_t seed = 1; seed <= plan.seeds; ++seed)
    for (const BullseyeGraph graph : plan.graphs)
      for (std::size_t m = 0; m < plan.methods.size(); ++m) {
        const BullseyeMethod& method = plan.methods[m];
        const BullseyeTest test(
            {graph, plan.n, seed, plan.permutations}, method, ledger, [&] { return watch.keep_going(); }, threads, team,
            number++);
        const std::vector<BullseyeStatement>& all = statements.at(graph);
        BullseyeOutcome outcome{graph, m, seed, {}, {}, {}};
        for (std::size_t s = 0; s < all.size(); ++s)
          if (!method.slow || all[s].for_slow) outcome.tested.push_back(s);
        outcome.results.resize(outcome.tested.size());
        const std::string stage = fmt::format("{}, {} graph, data set {}", method.label, graph_word(graph), seed);
        base::parallel_for(outcome.tested.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
          for (std::size_t t = begin; t < end; ++t) {
            const BullseyeStatement& s = all[outcome.tested[t]];
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

SelectOptions bullseye3d_test_options(const ReproduceOptions& options, std::uint64_t number) {
  const BullseyePlan plan = bullseye_plan(options);  // numbers count as bullseye_outcomes goes through it
  const std::size_t methods = plan.methods.size(), graphs = plan.graphs.size();
  const BullseyeCase the_case{plan.graphs[number / methods % graphs], plan.n, number / methods / graphs + 1,
                              plan.permutations};
  return bullseye_test_options(the_case, plan.methods[number % methods]);
}

}  // namespace macmi::experiments
