// The selection on samples that Python owns. Results travel as the JSON of `macmi select`, which holds all of them.
#include "selection.hpp"

#include <fmt/format.h>
#include <pybind11/stl.h>

#include <chrono>
#include <map>
#include <memory>
#include <optional>

#include "base/parallel.hpp"
#include "blanket/candidates.hpp"
#include "macmi/memory_table.hpp"
#include "macmi/run.hpp"
#include "macmi/select.hpp"
#include "options.hpp"
#include "report/html.hpp"
#include "report/selection.hpp"
#include "samples.hpp"
#include "watch.hpp"

namespace macmi::python {
namespace {

struct Request {
  MemoryTable table;
  DataOptions data;
  SelectOptions select;
  std::string run;
  std::string command;  ///< Python that gives the result again
};

MapsHooks training_hooks(Watch& watch, const Run* run) {
  MapsHooks hooks;
  hooks.on_progress = [&watch](const MapsProgress& p) {
    if (p.epochs == 0) return watch.keep_going();
    const std::string fold = p.models > 1 ? fmt::format(", fold {} of {}", p.model + 1, p.models) : "";
    return watch.report(static_cast<std::size_t>(100 * p.share_done), 100, "learning feature maps" + fold);
  };
  if (run != nullptr) hooks.folder = run->training_folder();
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

/// The same steps as `macmi select` takes (cli/select.cpp), so that the bits are the same.
Outcome run_selection(const Request& request, Watch& watch) {
  const Dataset data = make_dataset(request.table, request.data);
  check_selection(data, request.select);
  const SelectOptions chosen = with_preset(request.select);
  const auto cancelled = [&watch] { return !watch.keep_going(); };
  std::unique_ptr<TargetCiTest> test = make_dataset_test(data, chosen, cancelled);
  prepare_candidates(*test, request.select.search, {});  // unknown names are refused before anything is kept
  std::unique_ptr<Run> run;
  if (!request.run.empty())
    run = std::make_unique<Run>(request.run, selection_subject(data, request.data, request.select));
  std::optional<LearnedMaps> maps;
  if (wants_maps(data, chosen.maps)) {
    maps = learn_maps(data, maps_options(request.select), training_hooks(watch, run.get()));
    test = make_map_test(*maps, request.select, cancelled);
  }
  const std::unique_ptr<TargetCiTest> kept = run ? run->keep(*test) : nullptr;
  const TargetCiTest& used = kept ? *kept : *test;
  SearchHooks hooks;
  SelectionTiming timing;
  hooks.on_progress = [&](const SearchProgress& p) { return watch.report(p.finished, p.expected, p.stage); };
  hooks.on_test = [&](const TestRecord&) { ++timing.tests_made; };
  const auto start = std::chrono::steady_clock::now();
  const Selection selection = maps ? select_features(data, *maps, used, request.select, hooks)
                                   : select_features(data, used, request.select, hooks);
  timing.seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  timing.threads = thread_count(request.select.test.threads);
  if (run) {
    const RunTests tests = run->tests();
    timing.tests_made = tests.made;
    timing.tests_continued = tests.continued;
    timing.tests_reused = tests.reused;
  }
  timing.source = data.source;
  timing.command = request.command;
  std::string json = selection_json(selection, timing);
  if (run) run->finish(json, answer(selection).sentence);
  return {std::move(json), columns_by_feature(data)};
}

py::tuple select(const std::string& source, const py::list& columns, const py::dict& data_values,
                 const py::dict& select_values, const std::string& run, const std::string& command,
                 const py::object& progress) {
  Held held;
  Request request{table_of(source, columns, held), {}, {}, run, command};
  fill(declare(request.data), data_values);
  fill(declare(request.select), select_values);
  request.data.seed = request.select.test.seed;
  request.data.threads = request.select.test.threads;
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
          if (f.role == Role::excluded) reasons[py::str(f.name)] = short_reason(f);
        return reasons;
      },
      py::arg("json"));
}

}  // namespace macmi::python
