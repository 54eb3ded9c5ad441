// The graph of all columns of samples that Python owns, as the JSON and the texts of `macmi graph`.
#include "graph.hpp"

#include <pybind11/stl.h>

#include <memory>

#include "macmi/graph.hpp"
#include "macmi/memory_table.hpp"
#include "options.hpp"
#include "samples.hpp"
#include "watch.hpp"

namespace macmi::python {
namespace {

struct Outcome {
  std::string json, text, graphml, dot;
};

Outcome run_graph(const MemoryTable& table, const GraphInputs& inputs, const std::string& directory, Watch& watch) {
  const Dataset data = make_dataset(table, data_options(inputs));
  GraphPipeline pipeline(data, inputs);
  std::unique_ptr<Run> run;
  if (!directory.empty()) run = std::make_unique<Run>(directory, pipeline.subject());
  if (run) pipeline.keep_in(*run);
  GraphHooks hooks;
  hooks.cancelled = [&watch] { return !watch.keep_going(); };
  hooks.on_progress = [&watch](const GraphProgress& p) { return watch.report(p.finished, p.expected, p.stage); };
  const Graph graph = pipeline.learn(hooks);
  return {graph_json(graph, pipeline.timing()), graph_text(graph), graph_graphml(graph), graph_dot(graph)};
}

py::dict learn(const std::string& source, const py::list& columns, const py::dict& data_values,
               const py::dict& graph_values, const std::string& run, const py::object& progress) {
  Held held;
  const MemoryTable table = table_of(source, columns, held);
  GraphInputs inputs;
  fill(declare(inputs.data), data_values);
  fill(declare(inputs.graph), graph_values);
  const Outcome outcome = watched(progress, [&](Watch& watch) { return run_graph(table, inputs, run, watch); });
  py::dict result;
  result["json"] = outcome.json, result["text"] = outcome.text;
  result["graphml"] = outcome.graphml, result["dot"] = outcome.dot;
  return result;
}

}  // namespace

void bind_graph(py::module_& module) {
  module.def("learn_graph", &learn, py::arg("source"), py::arg("columns"), py::arg("data_options"),
             py::arg("graph_options"), py::arg("run"), py::arg("progress"));
}

}  // namespace macmi::python
