#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <mutex>
#include <sstream>

#include "base/parallel.hpp"
#include "graph/knowledge.hpp"
#include "graph/node_test.hpp"
#include "macmi/error.hpp"
#include "macmi/stability.hpp"
#include "select/selection_test.hpp"

namespace macmi {
namespace {

using Clock = std::chrono::steady_clock;

/// Options that decide the result, as texts.
OptionTexts texts(GraphOptions options) {
  OptionTexts all;
  for (const Option& option : declare(options))
    if (option.name != "threads") all.emplace_back(option.name, value_text(option));
  return all;
}

OptionTexts texts(DataOptions options) {
  OptionTexts all;
  for (const Option& option : declare(options))
    if (option.name != "seed" && option.name != "target") all.emplace_back(option.name, value_text(option));
  return all;
}

std::string joined(const OptionTexts& options) {
  std::string all = "graph";
  for (const auto& [name, value] : options) all += fmt::format("\n--{} {}", name, value);
  return all;
}

/// The edges of one repetition: "a -> b" and "a -- b" by the places of the nodes, a line each.
std::string edges_text(const Graph& graph) {
  const auto place = [&](const std::string& name) {
    return std::lower_bound(graph.nodes.begin(), graph.nodes.end(), name) - graph.nodes.begin();
  };
  std::string text;
  for (const GraphEdge& edge : graph.edges)
    text += fmt::format("{} {} {}\n", place(edge.a), edge.directed ? 1 : 0, place(edge.b));
  return text;
}

void count_edges(const std::string& text, Graph& graph) {
  std::istringstream lines(text);
  std::size_t a = 0, b = 0;
  int directed = 0;
  while (lines >> a >> directed >> b)
    for (GraphEdge& edge : graph.edges) {
      const bool same = edge.a == graph.nodes.at(a) && edge.b == graph.nodes.at(b);
      if (!same && !(edge.a == graph.nodes.at(b) && edge.b == graph.nodes.at(a))) continue;
      ++edge.found_in;
      edge.directed_in += edge.directed && directed == 1 && same;
    }
}

}  // namespace

GraphPipeline::GraphPipeline(const Dataset& data, const GraphInputs& inputs) : data_(data), inputs_(inputs) {
  select::expect_samples(data);
  const GraphOptions& options = inputs.graph;
  if (data.features.size() < 2)
    throw InputError(
        fmt::format("{}: a graph needs two columns at least, and there are {}", data.source, data.features.size()));
  if (options.select.method == Method::hsic || options.select.method == Method::hsic_permutation)
    throw InputError(
        fmt::format("--method {} cannot condition on anything, which a graph needs: --method sdcit is its "
                    "conditional sister",
                    text(options.select.method)));
  std::vector<std::string> names = data.feature_names();
  std::sort(names.begin(), names.end());
  graph::read_knowledge({options.must, options.never, options.order}, names);  // refuses what cannot be
  budget_seconds(options.select.search.budget);
  timing_.source = data.source;
}

RunSubject GraphPipeline::subject() const {
  RunSubject subject = selection_subject(data_, inputs_.data, inputs_.graph.select);
  subject.target = "graph";
  return subject;
}

Graph GraphPipeline::learn(const GraphHooks& hooks) {
  const auto start = Clock::now();
  GraphOptions options = inputs_.graph;
  if (hooks.team != nullptr) options.select.test.threads = hooks.team->size;
  timing_.threads = base::thread_count(options.select.test.threads);
  const std::unique_ptr<graph::NodeTest> test = graph::make_node_test(data_, options, hooks.cancelled);
  const std::unique_ptr<TargetCiTest> spread = hooks.team ? hooks.team->spread(*test) : nullptr;
  const TargetCiTest& made = spread ? *spread : static_cast<const TargetCiTest&>(*test);
  const std::unique_ptr<TargetCiTest> kept = run_ ? run_->keep(made) : nullptr;
  Graph graph =
      learn_graph(graph::PairsOf(kept ? *kept : made, test->nodes()), options, hooks, data_.health.duplicates);
  graph.samples = data_.samples();
  graph.method = text(options.select.method);
  graph.seed = options.select.test.seed;
  graph.options = texts(inputs_.graph);
  graph.data_options = texts(inputs_.data);
  graph.health = select::health_of(data_);
  timing_.tests_made = graph.tests;
  if (!graph.partial && options.subsamples > 0) repeat_on_parts(graph, hooks);
  timing_.seconds = std::chrono::duration<double>(Clock::now() - start).count();
  if (run_ != nullptr) {
    const RunTests tests = run_->tests();
    timing_.tests_made = tests.made, timing_.tests_continued = tests.continued, timing_.tests_reused = tests.reused;
    run_->finish(graph_json(graph, timing_), graph_summary(graph));
  }
  if (hooks.team != nullptr && hooks.team->account) hooks.team->account(timing_);
  return graph;
}

/// By this process alone, each repetition on one thread.
void GraphPipeline::repeat_on_parts(Graph& graph, const GraphHooks& hooks) {
  graph.subsamples = inputs_.graph.subsamples;
  graph.share = inputs_.graph.select.stability.share;
  GraphOptions on_part = inputs_.graph;
  on_part.select.test.threads = 1;
  on_part.select.search.budget = "";
  FinishedWork finished;
  if (run_ != nullptr) finished = run_->finished_work(joined(graph.options));
  std::mutex one_at_a_time;
  std::size_t tests = graph.tests;
  GraphHooks within;
  within.cancelled = hooks.cancelled;
  within.on_progress = [&](const GraphProgress&) {
    const std::lock_guard lock(one_at_a_time);
    ++tests;
    const std::size_t expected = graph.tests * (1 + graph.subsamples);
    return !hooks.on_progress || hooks.on_progress({"subsamples", tests, std::max(tests, expected), ""});
  };
  std::vector<std::string> found(graph.subsamples);
  const auto learn_on = [&](std::size_t index) {
    const auto rows = subsample_rows(data_.samples(), {}, graph.share, graph.seed, index);
    const Dataset part = take_samples(data_, rows);
    const auto test = graph::make_node_test(part, on_part, hooks.cancelled);
    return edges_text(learn_graph(graph::PairsOf(*test, test->nodes()), on_part, within, data_.health.duplicates));
  };
  base::parallel_for(found.size(), 1, inputs_.graph.select.test.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      const auto work = [&] { return learn_on(i); };
      found[i] = finished.text ? finished.text(fmt::format("graph on subsample {}", i), work) : work();
    }
  });
  for (const std::string& text : found) count_edges(text, graph);
}

}  // namespace macmi
