#include "experiments/hdd_reproduction.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <nlohmann/json.hpp>

#include "base/files/whole_file.hpp"
#include "data/table.hpp"
#include "experiments/simulations/drive_fleet.hpp"
#include "macmi/error.hpp"
#include "macmi/selection_pipeline.hpp"
#include "report/selection.hpp"
#include "run/ledger.hpp"
#include "run/subject.hpp"

namespace macmi::experiments {
namespace {

constexpr std::size_t quick_drives = 400, quick_days = 16;

/// A feature that the paper selected, by its names in the supplement and in the drives' files.
struct PaperAttribute {
  const char* name;
  const char* column;
};
constexpr PaperAttribute paper_selected[] = {{"current_pending_sectors_raw", "smart_197_raw"},
                                             {"load_cycles_raw", "smart_193_raw"},
                                             {"seek_count", "smart_7_raw"},
                                             {"logical_blocks_read", "smart_242_raw"},
                                             {"logical_blocks_written", "smart_241_raw"},
                                             {"power_on_hours_raw", "smart_9_raw"},
                                             {"temperature_raw", "smart_194_raw"}};

class Stopwatch {
 public:
  double lap() {
    const auto now = std::chrono::steady_clock::now();
    return std::chrono::duration<double>(now - std::exchange(start_, now)).count();
  }

 private:
  std::chrono::steady_clock::time_point start_ = std::chrono::steady_clock::now();
};

DataOptions drive_options(const HddOptions& o) {
  DataOptions read;
  read.data = {o.data};
  read.id = "serial_number";
  read.time = "date";
  read.target = {"failure"};
  read.threads = o.threads;
  const std::unique_ptr<data::TableReader> table = data::open_table(read.data);
  for (const data::ColumnInfo& column : table->columns())
    if (column.name == "model" || column.name == "capacity_bytes") read.exclude.push_back(column.name);
  return read;
}

}  // namespace

std::vector<Option> declare(HddOptions& o) {
  return {
      {.name = "data",
       .field = &o.data,
       .meaning = "hdd: data set of macmi prepare backblaze; without it a fleet is simulated",
       .value_name = "FILE"},
      {.name = "quick", .field = &o.quick, .meaning = "Small and short, to see everything work in a minute or two"},
      {.name = "paper",
       .field = &o.paper,
       .meaning = "hdd: networks, tests and search as the paper describes them, with the co-parent step"},
      {.name = "drives", .field = &o.drives, .meaning = "hdd: drives of the simulated fleet", .low = 200, .high = 1e6},
      {.name = "no-evaluation", .field = &o.no_evaluation, .meaning = "hdd: select only"},
      {.name = "seed", .field = &o.seed, .meaning = "Of everything random"},
      {.name = "threads",
       .field = &o.threads,
       .meaning = "Threads; 0: every core. The result does not depend on them"}};
}

SelectOptions hdd_select_options(const HddOptions& o) {
  SelectOptions select;
  select.test.seed = o.seed;
  select.test.threads = o.threads;
  select.maps.map_dim = 3;
  if (o.paper) {
    select.maps.preset = MapsPreset::paper_hdd;
  } else {
    select.search.no_children = true;  // failure comes after every value of the window
  }
  if (o.quick) {
    select.maps.epochs = 4;
    select.maps.restarts = 1;
    select.test.permutations = 99;
    select.search.delta = 1;
  }
  return select;
}

HddReproduction reproduce_hdd(const std::string& directory, const HddOptions& o, const ProgressCallback& on_progress) {
  const auto tell = [&](const Progress& progress) { return !on_progress || on_progress(progress); };
  Stopwatch watch;
  HddReproduction result;
  DataOptions read;  // empty: a simulated fleet
  Dataset data;
  if (o.data.empty()) {
    FleetOptions fleet{.drives = o.quick ? quick_drives : o.drives, .seed = o.seed};
    if (o.quick) fleet.days = quick_days;
    const DriveFleet made = simulate_fleet(fleet);
    result.causes = made.causes;
    data = fleet_dataset(made);
  } else {
    read = drive_options(o);
    data = read_dataset(read);
  }
  result.seconds.data = watch.lap();
  const SelectOptions select = hdd_select_options(o);
  EvaluateOptions evaluate;
  if (o.quick) evaluate = {.parts = 2, .random_sets = 1, .bootstrap = 200};
  SelectionPipeline pipeline(data, {read, select});
  if (!o.no_evaluation) check_evaluation(data, {}, evaluate);
  run::Ledger ledger(directory);
  const RunSubject subject = pipeline.subject();
  Run run(fmt::format("{}/selection-{:016x}", directory, run::test_context(subject)), subject);
  pipeline.keep_in(run);
  SelectionHooks hooks;
  hooks.maps.on_progress = [&](const MapsProgress& p) {
    return tell({"training", "epochs", p.epoch, p.epochs, 0, fmt::format("model {} of {}", p.model + 1, p.models)});
  };
  hooks.search.on_progress = [&](const SearchProgress& p) {
    return tell({p.stage, "tests", p.finished, p.expected, run.tests().reused, p.feature});
  };
  result.selection = pipeline.select(hooks);
  result.timing = pipeline.timing();
  result.seconds.maps = pipeline.seconds_learning();
  result.seconds.search = result.timing.seconds;
  watch.lap();
  if (!result.causes.empty()) result.f1 = cause_f1(result.selection.blanket.members, result.causes);
  if (o.no_evaluation) return result;
  result.evaluation =
      evaluate_selection(data, result.selection.blanket.members, select, evaluate, on_progress, ledger.work());
  result.seconds.evaluation = watch.lap();
  return result;
}

std::string hdd_json(const HddReproduction& r) {
  auto json = nlohmann::ordered_json::parse(selection_json(r.selection, r.timing));
  if (r.evaluation) json["evaluation"] = nlohmann::ordered_json::parse(evaluation_json(*r.evaluation));
  if (!r.causes.empty()) json["fleet"] = {{"causes", r.causes}, {"f1", r.f1}};
  json["timing"]["stages"] = {{"data", r.seconds.data},
                              {"maps", r.seconds.maps},
                              {"search", r.seconds.search},
                              {"evaluation", r.seconds.evaluation}};
  return json.dump(2);
}

std::string hdd_text(const HddReproduction& r) {
  const auto& members = r.selection.blanket.members;
  std::string text =
      fmt::format("Selected ({}): {}\n", members.size(), members.empty() ? "nothing" : report::list_text(members));
  std::vector<std::string> paper;
  for (const PaperAttribute& a : paper_selected) {
    const auto is_it = [&](const std::string& name) {
      return name == a.name || name == a.column || representative(name) == representative(a.name);
    };
    const bool chosen = std::any_of(members.begin(), members.end(), is_it);
    const bool there = std::any_of(r.selection.blanket.features.begin(), r.selection.blanket.features.end(),
                                   [&](const FeatureVerdict& f) { return is_it(f.name); });
    paper.push_back(fmt::format("{} ({})", a.name, chosen ? "here too" : there ? "not here" : "not in this data"));
  }
  text += fmt::format("The paper's seven: {}\n", fmt::join(paper, ", "));
  if (!r.causes.empty())
    text += fmt::format("The fleet's causes: {}\nF1 of the selection: {:.2f}\n", fmt::join(r.causes, ", "), r.f1);
  text += fmt::format("Seconds: data {:.0f}, maps {:.0f}, search {:.0f}, evaluation {:.0f}\n", r.seconds.data,
                      r.seconds.maps, r.seconds.search, r.seconds.evaluation);
  return r.evaluation ? text + "\n" + evaluation_text(*r.evaluation) : text;
}

std::vector<std::string> write_hdd(const HddReproduction& r, const std::string& directory) {
  base::make_directory(directory);
  std::vector<std::string> paths;
  const auto write = [&](const char* name, const std::string& content) {
    paths.push_back(directory + "/" + name);
    base::write_whole_file(paths.back(), content + "\n");
  };
  write("result.json", hdd_json(r));
  if (r.evaluation) {
    write("result.evaluation.json", evaluation_json(*r.evaluation));
    std::string curves = "features,false_positive_rate,true_positive_rate";
    for (const EvaluatedSet& set : r.evaluation->sets)
      for (const auto& [x, y] : set.roc) curves += fmt::format("\n{},{},{}", set.name, x, y);
    write("roc.csv", curves);
  }
  write("report.html", report_html(r.selection, r.timing, r.evaluation ? &*r.evaluation : nullptr));
  return paths;
}

}  // namespace macmi::experiments
