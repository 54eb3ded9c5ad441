// The selection on samples that Python owns. Results travel as the JSON of `macmi select`, which holds all of them.
#include "selection.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <map>
#include <memory>

#include "macmi/memory_table.hpp"
#include "macmi/selection_pipeline.hpp"
#include "options.hpp"
#include "report/selection.hpp"
#include "samples.hpp"
#include "watch.hpp"

namespace macmi::python {
namespace {

struct Request {
  MemoryTable table;
  SelectionInputs inputs;
  std::string run;
  std::string command;  ///< Python that gives the result again
};

SelectionHooks hooks_of(Watch& watch) {
  SelectionHooks hooks;
  hooks.cancelled = [&watch] { return !watch.keep_going(); };
  hooks.search.on_progress = [&watch](const SearchProgress& p) {
    return watch.report(p.finished, p.expected, p.stage);
  };
  hooks.maps.on_progress = [&watch](const MapsProgress& p) {
    if (p.epochs == 0) return watch.keep_going();
    const std::string fold = p.models > 1 ? fmt::format(", fold {} of {}", p.model + 1, p.models) : "";
    return watch.report(static_cast<std::size_t>(100 * p.share_done), 100, "learning feature maps" + fold);
  };
  return hooks;
}

struct Outcome {
  std::string json;
  std::map<std::string, std::vector<std::string>> columns;  ///< of each feature, by their names in the table
};

std::map<std::string, std::vector<std::string>> columns_by_feature(const Dataset& data) {
  std::map<std::string, std::vector<std::string>> columns;
  for (const Feature& feature : data.features)
    for (const DataColumn& column : feature.columns)
      if (!column.indicator) columns[feature.name].push_back(column.name);
  return columns;
}

Outcome run_selection(const Request& request, Watch& watch) {
  const Dataset data = make_dataset(request.table, data_options(request.inputs));
  SelectionPipeline pipeline(data, request.inputs);
  pipeline.set_command(request.command);
  std::unique_ptr<Run> run;
  if (!request.run.empty()) run = std::make_unique<Run>(request.run, pipeline.subject());
  if (run) pipeline.keep_in(*run);
  const Selection selection = pipeline.select(hooks_of(watch));
  return {selection_json(selection, pipeline.timing()), columns_by_feature(data)};
}

py::tuple select(const std::string& source, const py::list& columns, const py::dict& data_values,
                 const py::dict& select_values, const std::string& run, const std::string& command,
                 const py::object& progress) {
  Held held;
  Request request{table_of(source, columns, held), {}, run, command};
  fill(declare(request.inputs.data), data_values);
  fill(declare(request.inputs.select), select_values);
  const Outcome outcome = watched(progress, [&](Watch& watch) { return run_selection(request, watch); });
  return py::make_tuple(outcome.json, outcome.columns);
}

Selection parse(const std::string& json) {
  return read_selection_json(json, "result");
}

}  // namespace

void bind_selection(py::module_& module) {
  module.def("select", &select, py::arg("source"), py::arg("columns"), py::arg("data_options"),
             py::arg("select_options"), py::arg("run"), py::arg("command"), py::arg("progress"));
  module.def(
      "report_html",
      [](const std::string& json) { return report_html(parse(json), read_selection_timing(json, "result")); },
      py::arg("json"));
  module.def(
      "text", [](const std::string& json) { return selection_text(parse(json)); }, py::arg("json"));
  module.def(
      "answer", [](const std::string& json) { return answer(parse(json)).sentence; }, py::arg("json"));
  module.def(
      "explain", [](const std::string& json, const std::string& feature) { return explanation(parse(json), feature); },
      py::arg("json"), py::arg("feature"));
  module.def(
      "short_reasons",
      [](const std::string& json) {
        py::dict reasons;
        for (const FeatureVerdict& f : parse(json).blanket.features)
          if (f.role == Role::excluded) reasons[py::str(f.name)] = report::short_reason(f);
        return reasons;
      },
      py::arg("json"));
}

}  // namespace macmi::python
