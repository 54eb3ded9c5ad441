// macmi select: the Markov blanket of a target, from files to the result.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <utility>

#include "base/files/whole_file.hpp"
#include "base/parallel.hpp"
#include "blanket/candidates.hpp"
#include "command_line.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"
#include "macmi/run.hpp"
#include "macmi/select.hpp"
#include "progress_line.hpp"
#include "report/html.hpp"
#include "result_files.hpp"
#include "select_ranks.hpp"
#include "select_run.hpp"
#include "team.hpp"
#include "training_hooks.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  DataOptions data;
  SelectOptions select;
  std::string run;
  std::string out;
  std::string report;
  Output output;
};

/// Every option of the verb, in the order of --help.
std::vector<Option> declare(Arguments& a) {
  std::vector<Option> options = declare(a.data);
  std::erase_if(options, [](const Option& option) { return option.name == "seed"; });  // one --seed for all
  for (Option& option : declare(a.select)) options.push_back(std::move(option));
  options.push_back({.name = "run",
                     .field = &a.run,
                     .meaning = "Directory that keeps every finished test, so that the same command goes on after an "
                                "interruption (docs/runs.md); none keeps nothing. Without it: macmi-runs/NAME, or none "
                                "with --json",
                     .value_name = "DIR"});
  options.push_back({.name = "out",
                     .field = &a.out,
                     .meaning = "Also write the result, as JSON, to this file",
                     .value_name = "FILE"});
  options.push_back({.name = "report",
                     .field = &a.report,
                     .meaning = "Also write the result as one HTML page to look at",
                     .value_name = "FILE.html"});
  for (Option& option : declare(a.output)) options.push_back(std::move(option));
  return options;
}

/// Seconds of one typical test, measured on the first feature given the second.
double seconds_per_test(const TargetCiTest& test) {
  const std::size_t second[] = {1};
  const auto start = std::chrono::steady_clock::now();
  test.test(0, std::span(second).first(test.features().size() > 1 ? 1 : 0));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What is about to be done and roughly how long it takes; to standard error.
void announce(const Dataset& data, const SelectOptions& options, const SearchProgress& start, const TargetCiTest& test,
              const RunTests& known) {
  for (const std::string& line : health_lines(data.health)) fmt::print(stderr, "{}\n", line);
  if (data.features.empty()) return;
  const auto expected =
      options.search.max_tests ? std::min<std::size_t>(start.expected, options.search.max_tests) : start.expected;
  const double threads = static_cast<double>(thread_count(options.test.threads));
  const double each = known.seconds_each > 0 ? known.seconds_each : seconds_per_test(test);
  const double to_make = static_cast<double>(expected - std::min<std::size_t>(expected, known.stored));
  const StabilityOptions& stability = options.stability;
  const double on_parts = static_cast<double>(stability.subsamples) * stability.share * static_cast<double>(expected);
  fmt::print(stderr, "{} samples, {} features: about {} tests expected (at most {}){}, roughly {}\n", data.samples(),
             data.features.size(), expected, start.at_most,
             stability.subsamples ? fmt::format(", and again on {} subsamples", stability.subsamples) : "",
             duration_text(each * (to_make + on_parts) / threads));
}

Progress shown(const SearchProgress& p, std::size_t stored) {
  std::string current = p.feature;
  for (std::size_t i = 0; i < p.given.size(); ++i) current += (i ? ", " : " given ") + p.given[i];
  return {p.stage, "tests", p.finished, p.expected, stored, std::move(current)};
}

std::string summary(const Selection& s) {
  return fmt::format("{} of {}{}{}{}", s.blanket.members.size(), s.blanket.features.size(),
                     s.blanket.partial ? " (partial)" : "", s.blanket.members.empty() ? "" : ": ",
                     list_text(s.blanket.members));
}

struct Outcome {
  Selection selection;
  SelectionTiming timing;
};

/// What gives this result again, leaving out what cannot change it.
std::string result_command(Arguments given) {
  const Arguments fresh;
  given.select.test.threads = fresh.select.test.threads;
  given.run = given.out = given.report = "";
  given.output = {};
  Arguments defaults;
  return command_text("select", declare(given), declare(defaults));
}

/// All of it beside the samples, which a run is bound to: the features and every option that can change the result.
std::string what_a_search_follows_from(const SelectOptions& options, const Dataset& data) {
  std::vector<std::string> names = data.feature_names();
  std::sort(names.begin(), names.end());
  std::string all = fmt::format("{}", fmt::join(names, "\n"));
  for (const auto& [name, value] : deciding_options(options))
    if (name != "stability") all += fmt::format("\n--{} {}", name, value);
  return all;
}

/// The search, told about on standard error, on all ranks of the team and kept in the run if there are such.
Outcome search(const Arguments& a, const Dataset& data, const LearnedMaps* maps, const TargetCiTest& made, Run* run,
               Coordinator* team, ProgressLine& line) {
  const PackedFrom from{maps != nullptr, (maps ? maps->mapped() : data).target_is_categorical(),
                        maps && !maps->folds().empty()};
  const std::unique_ptr<TargetCiTest> spread = team ? spread_test(*team, made, from) : nullptr;
  const std::unique_ptr<TargetCiTest> kept = run ? run->keep(spread ? *spread : made) : nullptr;
  const TargetCiTest& test = kept ? *kept : spread ? *spread : made;
  const SelectOptions options = team ? on_team(a.select, *team) : a.select;
  const Effort before = team ? team->effort() : Effort{};
  const auto start = std::chrono::steady_clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
  const auto stored = [&] { return run ? run->tests().reused : std::size_t{0}; };
  std::size_t finished = 0;
  bool announced = a.output.quiet;
  SearchHooks hooks;
  hooks.on_progress = [&](const SearchProgress& progress) {
    if (!std::exchange(announced, true)) announce(data, options, progress, made, run ? run->tests() : RunTests{});
    Progress now = shown(progress, stored());
    if (team) now.pace = pace_text(before, team->effort(), seconds());
    line.update(now);
    return !Interrupt::requested();
  };
  hooks.on_test = [&](const TestRecord&) { ++finished; };
  Outcome outcome;
  outcome.selection =
      maps ? select_features(data, *maps, test, options, hooks) : select_features(data, test, options, hooks);
  line.finish(fmt::format("{} tests", outcome.selection.blanket.tests));
  outcome.timing = {seconds(), thread_count(options.test.threads), finished, 0, 0};
  if (run) {
    const RunTests tests = run->tests();
    outcome.timing.tests_made = tests.made;
    outcome.timing.tests_continued = tests.continued;
    outcome.timing.tests_reused = tests.reused;
  }
  if (team) {
    const Effort effort = team->effort();
    outcome.timing.ranks = effort.working_ranks;
    outcome.timing.tests_of_rank = effort.of_rank;
    outcome.timing.efficiency =
        (effort.seconds - before.seconds) / (outcome.timing.seconds * static_cast<double>(effort.working_ranks));
  }
  return outcome;
}

/// `ranks`: rank 0 of them is this process; nothing: it is alone.
void run(Arguments& a, Ranks* ranks) {
  if (a.data.target.empty()) throw InputError("--target: name the column to explain");
  if (!a.report.empty()) require_report_page();
  a.data.seed = a.select.test.seed;
  a.data.threads = a.select.test.threads;
  Arguments defaults;
  const std::string command = command_text("select", declare(a), declare(defaults));
  std::unique_ptr<Run> kept;
  ProgressLine line(!a.output.quiet);
  Team team(ranks, [&](const std::string& why) {
    line.clear();
    if (kept) kept->flush();
    fmt::print(stderr, "macmi: {}\n", interruption_text(kept.get(), command, why));
  });

  const Dataset data = read_dataset(a.data);
  if (!a.out.empty()) expect_writable("--out", a.out);
  if (!a.report.empty()) expect_writable("--report", a.report);
  check_selection(data, a.select);
  const SelectOptions chosen = with_preset(a.select);
  std::unique_ptr<TargetCiTest> test = make_dataset_test(data, chosen, Interrupt::requested);
  prepare_candidates(*test, a.select.search, {});  // unknown names are refused before anything is written
  RunSubject subject = selection_subject(data, a.data, a.select);
  subject.command = command;
  kept = open_run({a.run, a.output.json, a.output.quiet}, subject, a.data);
  if (kept) keep_subsamples(*kept, a.select.stability, what_a_search_follows_from(a.select, data));
  team.run([&] {
    std::optional<LearnedMaps> maps;
    if (wants_maps(data, chosen.maps)) {
      MapsHooks hooks = training_hooks(line, a.output.quiet, kept ? kept->training_folder() : "");
      hooks.team = team.training();
      maps = learn_maps(data, maps_options(a.select), hooks);
      test = make_map_test(*maps, a.select, Interrupt::requested);
    }
    Outcome outcome = search(a, data, maps ? &*maps : nullptr, *test, kept.get(), team.coordinator(), line);
    outcome.timing.source = data.source;
    outcome.timing.command = result_command(a);
    const std::string json = selection_json(outcome.selection, outcome.timing);
    if (kept) kept->finish(json, summary(outcome.selection));
    if (!a.out.empty()) write_whole_file(a.out, json + "\n");
    if (!a.report.empty()) write_whole_file(a.report, report_html(outcome.selection, outcome.timing) + "\n");
    if (a.output.json)
      fmt::print("{}\n", json);
    else
      fmt::print("{}", selection_text(outcome.selection));
  });
}

}  // namespace

Verb select_verb() {
  auto a = std::make_shared<Arguments>();
  return {
      .name = "select",
      .summary = "Find the few features that matter for a target: its Markov blanket",
      .details =
          "The features that, once known, make all others superfluous for predicting the target: its direct causes,\n"
          "its direct effects (adjacent), and the other causes of those effects (co-parents).\n"
          "Every feature left out is listed with the set that made it redundant.",
      .positional = {},
      .options = declare(*a),
      .examples = {"macmi simulate bullseye3d --n 500 --out spheres.csv && macmi select --data spheres.csv --target y "
                   "--group '^(x\\d+)_'",
                   "macmi simulate bullseye2d --n 500 --out rings.csv && macmi select --data rings.csv --target y "
                   "--delta 1 --json"},
      .run = [a] { run(*a, nullptr); },
      .run_on_ranks =
          [a](Ranks& ranks) {
            if (ranks.rank() == 0)
              run(*a, &ranks);
            else
              serve_selection(ranks, a->select);
          }};
}

}  // namespace macmi::cli
