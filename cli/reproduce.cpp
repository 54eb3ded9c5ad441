// macmi reproduce: the paper's experiments, from simulation to tables and a page.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "experiments/reproduction.hpp"
#include "interrupt.hpp"
#include "macmi/error.hpp"
#include "progress_line.hpp"
#include "report/html.hpp"
#include "reproduce_hdd.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

enum class Experiment { bullseye2d, bullseye3d, hdd };

struct Arguments {
  Experiment experiment = Experiment::bullseye2d;
  std::string out;
  ReproduceOptions options;
  HddOptions hdd;
  Output output;
};

void print(const Reproduction& r, const std::vector<std::string>& files, const Output& output) {
  if (output.json) {
    nlohmann::ordered_json json = {
        {"experiment", r.name}, {"answer", r.answer}, {"consequence", r.consequence}, {"files", files}};
    json["tables"] = nlohmann::ordered_json::object();
    for (const ResultTable& table : r.tables)
      json["tables"][table.name] = {{"columns", table.columns}, {"rows", table.rows}};
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{}\n{}\n", r.answer, r.consequence);
  for (const std::string& file : files) fmt::print("  {}\n", file);
}

void run(const Arguments& a) {
  if (a.experiment == Experiment::hdd) {
    HddOptions hdd = a.hdd;  // what all experiments have in common is declared once
    hdd.quick = a.options.quick;
    hdd.threads = a.options.threads;
    return run_reproduce_hdd(hdd, a.out, a.output);
  }
  require_report_page();
  const auto last_words = [&] {
    if (!a.output.quiet)
      fmt::print(stderr, "interrupted; what was measured is kept in {}: the same command goes on from it\n", a.out);
  };
  Reproduction result;
  try {
    const Interrupt interrupt(last_words);
    ProgressLine line(!a.output.quiet);
    const ProgressCallback progress = [&](const Progress& p) {
      line.update(p);
      return !Interrupt::requested();
    };
    result = a.experiment == Experiment::bullseye2d ? reproduce_bullseye2d(a.out, a.options, progress)
                                                    : reproduce_bullseye3d(a.out, a.options, progress);
  } catch (const Cancelled&) {
    last_words();
    throw;
  }
  print(result, write_reproduction(result, a.out), a.output);
}

}  // namespace

Verb reproduce_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = {{.name = "out",
                                  .field = &a->out,
                                  .meaning = "Directory for tables, page and finished measurements",
                                  .value_name = "DIR",
                                  .required = true}};
  for (Option& option : declare(a->options)) options.push_back(std::move(option));
  for (Option& option : declare(a->hdd))
    if (option.name != "quick" && option.name != "threads") options.push_back(std::move(option));
  for (Option& option : declare(a->output)) options.push_back(std::move(option));
  return {
      .name = "reproduce",
      .summary = "Run one of the paper's experiments again: tables, figures, one page",
      .details =
          "bullseye2d (section 5.1): estimators of mutual information against the truth.\n"
          "bullseye3d (section 5.2): tests of conditional independence, and the blankets found with them.\n"
          "hdd (section 5.3): which attributes predict disk failure, and what a predictor on them is worth; on data of\n"
          "macmi prepare, or on a simulated fleet whose causes are known.\n"
          "Finished measurements of the first two stay in the directory: the same command goes on from them.",
      .positional = {{.name = "experiment",
                      .field = choice_of(a->experiment, {"bullseye2d", "bullseye3d", "hdd"}),
                      .meaning = "Which experiment",
                      .required = true}},
      .options = std::move(options),
      .examples =
          {"macmi reproduce bullseye2d --quick --seeds 1 --methods knn,knn-r,genie --out rings",
           "macmi reproduce bullseye3d --quick --methods knn --dag caption --n 300 --permutations 20 --out spheres",
           "macmi simulate hdd --n 200 --days 8 --out fleet.csv && macmi reproduce hdd --quick --no-evaluation --data "
           "fleet.csv --out hdd"},
      .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
