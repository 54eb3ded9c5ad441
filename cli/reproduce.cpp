// macmi reproduce: the paper's experiments, from simulation to tables and a page.
#include <fmt/format.h>

#include <memory>
#include <nlohmann/json.hpp>

#include "cluster/rank_training.hpp"
#include "experiments/reproduction.hpp"
#include "interrupt.hpp"
#include "macmi/error.hpp"
#include "macmi/report.hpp"
#include "progress_line.hpp"
#include "reproduce_hdd.hpp"
#include "select/selection_test.hpp"
#include "select_ranks.hpp"
#include "team.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

/// Tells measurements from trainings, the other work that ranks are asked for.
const std::string measurement_mark = "measure ";

enum class Experiment { bullseye2d, bullseye3d, hdd };

struct Arguments {
  Experiment experiment = Experiment::bullseye2d;
  std::string out;
  experiments::ReproduceOptions options;
  experiments::HddOptions hdd;
  Output output;
};

void print(const experiments::Reproduction& r, const std::vector<std::string>& files, const Output& output) {
  if (output.json) {
    nlohmann::ordered_json json = {
        {"experiment", r.name}, {"answer", r.answer}, {"consequence", r.consequence}, {"files", files}};
    json["tables"] = nlohmann::ordered_json::object();
    for (const experiments::ResultTable& table : r.tables)
      json["tables"][table.name] = {{"columns", table.columns}, {"rows", table.rows}};
    fmt::print("{}\n", json.dump(2));
    return;
  }
  fmt::print("{}\n{}\n", r.answer, r.consequence);
  for (const std::string& file : files) fmt::print("  {}\n", file);
}

void run_hdd(const Arguments& a, ProgressLine& line, const ProgressCallback& progress) {
  experiments::HddOptions hdd = a.hdd;  // what all experiments have in common is declared once
  hdd.quick = a.options.quick;
  hdd.threads = a.options.threads;
  run_reproduce_hdd(hdd, a.out, a.output, line, progress);
}

std::unique_ptr<experiments::ExperimentTeam> experiment_team(Team& team) {
  cluster::Coordinator* coordinator = team.coordinator();
  if (!coordinator) return nullptr;
  return std::make_unique<experiments::ExperimentTeam>(experiments::ExperimentTeam{
      coordinator->working_ranks(), team.training(),
      [coordinator](const std::string& measurement, const std::function<std::string()>& here) {
        return coordinator->work(measurement_mark + measurement, here);
      },
      [coordinator](const SelectionTest& test, std::uint64_t number) {
        return spread_test(*coordinator, test, number);
      }});
}

/// `ranks`: rank 0 of them is this process; nothing: it is alone.
void run(const Arguments& a, cluster::Ranks* ranks) {
  ProgressLine line(!a.output.quiet);
  Team team(ranks, [&](const std::string& why) {
    line.clear();
    if (!a.output.quiet)
      fmt::print(stderr, "{}; what was measured is kept in {}: the same command goes on from it\n", why, a.out);
  });
  require_report_page();
  const std::unique_ptr<experiments::ExperimentTeam> others = experiment_team(team);
  team.run([&] {
    const ProgressCallback progress = [&](const Progress& p) {
      line.update(p);
      return !Interrupt::requested();
    };
    if (a.experiment == Experiment::hdd) return run_hdd(a, line, progress);
    const auto reproduce =
        a.experiment == Experiment::bullseye2d ? experiments::reproduce_bullseye2d : experiments::reproduce_bullseye3d;
    const experiments::Reproduction result = reproduce(a.out, a.options, progress, others.get());
    line.clear();
    print(result, experiments::write_reproduction(result, a.out), a.output);
  });
}

/// A rank other than 0.
void serve_reproduction(cluster::Ranks& ranks, const Arguments& a) {
  const auto make_test = [&](const cluster::SamplesNotice& notice, std::string_view samples,
                             const std::function<bool()>& cancelled) {
    return select::make_packed_test(samples, experiments::bullseye3d_test_options(a.options, notice.number), cancelled);
  };
  const auto work = [](const cluster::RankWork& w) {
    if (!w.bytes.starts_with(measurement_mark)) return cluster::train_on_rank(w);
    return experiments::measure_bullseye2d(std::string(w.bytes.substr(measurement_mark.size())),
                                           [&] { return !w.cancelled(); });
  };
  serve_team(ranks, {make_test, work});
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
          "hdd (section 5.3): which attributes predict disk failure, and what a predictor on them is worth; on data "
          "of\n"
          "macmi prepare, or on a simulated fleet whose causes are known.\n"
          "Finished measurements stay in the directory: the same command goes on from them.",
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
      .run = [a] { run(*a, nullptr); },
      .run_on_ranks = lead_or_serve([a](cluster::Ranks& ranks) { run(*a, &ranks); },
                                    [a](cluster::Ranks& ranks) { serve_reproduction(ranks, *a); })};
}

}  // namespace macmi::cli
