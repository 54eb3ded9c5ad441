#pragma once
#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "macmi/run.hpp"
#include "macmi/select.hpp"
#include "macmi/selection_pipeline.hpp"

namespace macmi {

/// The edges that the tests begin with (docs/graph.md has figures on both).
enum class GraphStart {
  all,       ///< every pair of nodes: the PC algorithm
  blankets,  ///< pairs of which each is in the other's Markov blanket, as `macmi select` searches for it
};

/// How the graph of all variables is learned. Tests, their level and the time are options of a selection; what such
/// options say of a target holds for every node.
struct GraphOptions {
  GraphOptions();
  SelectOptions select;
  GraphStart start = GraphStart::all;
  bool first_separators = false;        ///< as PC takes them: docs/graph.md
  std::vector<std::string> must = {};   ///< "a->b", or "a--b" where the direction is not known
  std::vector<std::string> never = {};  ///< the same
  std::string order = {};               ///< "a,b | c | d": no edge leads from a later part to an earlier one
  std::uint64_t subsamples = 0;         ///< repetitions on parts of the samples
};

/// The one declaration of these options (names, defaults, meaning, range).
std::vector<Option> declare(GraphOptions& options);

/// All that a graph follows from: the data to read and how to learn.
struct GraphInputs {
  DataOptions data;  ///< without a target; its seed and threads are those of `graph`
  GraphOptions graph;
};
std::vector<Option> declare(GraphInputs& inputs);
/// The data options with the graph's seed and threads.
DataOptions data_options(const GraphInputs& inputs);

/// Conditional independence among named nodes: all that learning a graph sees. It may be backed by k-NN tests or by a
/// d-separation oracle.
class PairCiTest {
 public:
  virtual ~PairCiTest() = default;
  virtual std::span<const std::string> nodes() const = 0;
  /// Nodes `a` and `b` given others. Thread-safe; the same bits whatever the order of a and b, of `given`, and of
  /// calls.
  virtual CiResult test(std::size_t a, std::size_t b, std::span<const std::size_t> given) const = 0;
};

/// An edge of the graph. Where it has no direction, the tests (and what was known) allow both.
struct GraphEdge {
  std::string a, b;                           ///< a causes b, or a comes first by name
  bool directed = false;                      ///< a -> b
  Evidence weakest;                           ///< of its tests the one that came nearest to separating a and b
  bool required = false;                      ///< by --must
  bool copy = false;                          ///< b holds the same values as a: nothing was tested
  std::size_t found_in = 0, directed_in = 0;  ///< subsamples that have the edge, and that have it with this direction
};

/// Two nodes without an edge, and the set that separated them.
struct Separation {
  std::string a, b;  ///< in the order of their names
  Evidence by;
  bool forbidden = false;  ///< by --never or --order: nothing was asked
};

/// A graph that stands for all directed acyclic graphs with the same conditional independences (a CPDAG; with
/// background knowledge the maximally oriented graph, Meek 1995).
struct Graph {
  std::vector<std::string> nodes;  ///< sorted
  std::vector<GraphEdge> edges;    ///< sorted by names
  std::vector<Separation> separations;
  std::size_t tests = 0;    ///< each question once
  std::size_t samples = 0;  ///< 0: not from samples
  bool partial = false;     ///< --budget ended the search
  std::string stopped_in;   ///< the stage it ended in
  std::uint64_t subsamples = 0;
  double share = 0.5;  ///< of the samples in each
  std::string method;
  std::uint64_t seed = 0;
  OptionTexts options, data_options;  ///< that can change the result
  std::vector<std::string> notes, health;
};

struct GraphProgress {
  std::string stage;         ///< "pairs given 2 others"
  std::size_t finished = 0;  ///< tests
  std::size_t expected = 0;  ///< in all: a forecast that is revised as edges fall
  std::string current;       ///< "a and b given c"
};

struct GraphHooks {
  std::function<bool(const GraphProgress&)> on_progress = {};  ///< one call at a time; false ends it with Cancelled
  std::function<bool()> cancelled = {};                        ///< asked within long tests, from any thread
  const TestTeam* team = nullptr;                              ///< other processes that test
};

/// The graph by tests that somebody else makes. `duplicates`: groups of exact copies, by name. Throws InputError where
/// what is known contradicts itself or names nodes that are not there.
Graph learn_graph(const PairCiTest& test, const GraphOptions& options = {}, const GraphHooks& hooks = {},
                  const std::vector<std::vector<std::string>>& duplicates = {});

/// The graph of all features of a data set that has no target. The same bits for any number of threads and any order of
/// the columns.
class GraphPipeline {
 public:
  /// Refuses, with InputError, what cannot work. The data set must outlive it.
  GraphPipeline(const Dataset& data, const GraphInputs& inputs);
  RunSubject subject() const;
  /// Finished tests and repetitions go into the run, which must outlive the pipeline.
  void keep_in(Run& run) { run_ = &run; }
  void set_command(std::string command) { timing_.command = std::move(command); }
  Graph learn(const GraphHooks& hooks = {});
  const SelectionTiming& timing() const { return timing_; }

 private:
  void repeat_on_parts(Graph& graph, const GraphHooks& hooks);
  const Dataset& data_;
  GraphInputs inputs_;
  Run* run_ = nullptr;
  SelectionTiming timing_;
};

/// The result as JSON (docs/graph.md names every field).
std::string graph_json(const Graph& graph, const SelectionTiming& timing = {});
/// For a terminal: edges with their evidence, remarks.
std::string graph_text(const Graph& graph);
/// One line for lists of runs: "12 edges among 8 nodes".
std::string graph_summary(const Graph& graph);
/// GraphML, as networkx, igraph, Gephi and Cytoscape read it; an edge without a direction has `directed="false"`.
std::string graph_graphml(const Graph& graph);
/// For Graphviz.
std::string graph_dot(const Graph& graph);

}  // namespace macmi
