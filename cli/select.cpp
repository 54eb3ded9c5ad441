// macmi select: the Markov blanket of a target, from files to the result.
#include <fmt/format.h>

#include <chrono>
#include <cstdio>
#include <functional>
#include <memory>
#include <utility>

#include "base/files/whole_file.hpp"
#include "base/number_of.hpp"
#include "base/parallel.hpp"
#include "command_line.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"
#include "macmi/selection_pipeline.hpp"
#include "progress_line.hpp"
#include "result_files.hpp"
#include "select/selection_test.hpp"
#include "select_ranks.hpp"
#include "select_run.hpp"
#include "team.hpp"
#include "training_hooks.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  SelectionInputs inputs;
  std::string run;
  std::string out;
  std::string report;
  Output output;
};

/// Every option of the verb, in the order of --help.
std::vector<Option> declare(Arguments& a) {
  std::vector<Option> options = declare(a.inputs);
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

/// Tells on standard error what is about to be done and roughly how long it takes with tests on so many threads.
void announce(const Dataset& data, const SelectOptions& options, const SearchProgress& start, const TargetCiTest& test,
              const RunTests& known, std::size_t threads) {
  for (const std::string& line : select::health_of(data)) fmt::print(stderr, "{}\n", line);
  if (data.features.empty()) return;
  const auto expected =
      options.search.max_tests ? std::min<std::size_t>(start.expected, options.search.max_tests) : start.expected;
  const double each = known.seconds_each > 0 ? known.seconds_each : seconds_per_test(test);
  const double to_make = static_cast<double>(expected - std::min<std::size_t>(expected, known.stored));
  const std::uint64_t subsamples = options.stability.subsamples.value_or(0);  // light ones are not worth a word
  const double on_parts = static_cast<double>(subsamples) * options.stability.share * static_cast<double>(expected);
  fmt::print(stderr, "{}, {}: about {} expected (at most {}){}, roughly {}\n",
             base::number_of(data.samples(), "sample"), base::number_of(data.features.size(), "feature"),
             base::number_of(expected, "test"), start.at_most,
             subsamples ? ", and again on " + base::number_of(subsamples, "subsample") : "",
             duration_text(each * (to_make + on_parts) / static_cast<double>(threads)));
}

Progress shown(const SearchProgress& p, std::size_t stored) {
  std::string current = p.feature;
  for (std::size_t i = 0; i < p.given.size(); ++i) current += (i ? ", " : " given ") + p.given[i];
  return {p.stage, "tests", p.finished, p.expected, stored, std::move(current)};
}

/// The command that gives this result again, without what cannot change it.
std::string result_command(Arguments given) {
  const Arguments fresh;
  given.inputs.select.test.threads = fresh.inputs.select.test.threads;
  given.run = given.out = given.report = "";
  given.output = {};
  Arguments defaults;
  return command_text("select", declare(given), declare(defaults));
}

/// Draws the progress of the search on the line. The first call announces the work.
std::function<bool(const SearchProgress&)> drawn_on(ProgressLine& line, const Arguments& a, const Dataset& data,
                                                    const SelectionPipeline& pipeline, const Run* run,
                                                    cluster::Coordinator* team) {
  using Clock = std::chrono::steady_clock;
  struct Begun {
    bool announced;
    cluster::Effort before = {};
    Clock::time_point start = {};
  };
  // Shared: the search, the second pass and the subsamples each have a copy of this hook.
  const auto begun = std::make_shared<Begun>(Begun{a.output.quiet});
  return [&, run, team, begun](const SearchProgress& progress) {
    if (begun->start == Clock::time_point{}) {
      begun->start = Clock::now();
      if (team) begun->before = team->effort();
    }
    const RunTests tests = run ? run->tests() : RunTests{};
    const SelectOptions& options = a.inputs.select;
    if (!std::exchange(begun->announced, true))
      announce(data, options, progress, pipeline.local_test(), tests,
               team ? team->working_ranks() : base::thread_count(options.test.threads));
    Progress now = shown(progress, tests.reused);
    const double seconds = std::chrono::duration<double>(Clock::now() - begun->start).count();
    if (team) now.pace = pace_text(begun->before, team->effort(), seconds);
    line.update(now);
    return !Interrupt::requested();
  };
}

void write_results(const Arguments& a, const Selection& selection, const SelectionTiming& timing) {
  const std::string json = selection_json(selection, timing);
  if (!a.out.empty()) base::write_whole_file(a.out, json + "\n");
  if (!a.report.empty()) base::write_whole_file(a.report, report_html(selection, timing) + "\n");
  if (a.output.json)
    fmt::print("{}\n", json);
  else
    fmt::print("{}", selection_text(selection));
}

/// `ranks`: rank 0 of them is this process; nothing: it is alone.
void run(const Arguments& a, cluster::Ranks* ranks) {
  if (a.inputs.data.target.empty()) throw InputError("--target: name the column to explain");
  if (!a.report.empty()) require_report_page();
  Arguments given = a, defaults;
  const std::string command = command_text("select", declare(given), declare(defaults));
  std::unique_ptr<Run> kept;
  ProgressLine line(!a.output.quiet);
  Team team(ranks, [&](const std::string& why) {
    line.clear();
    if (kept) kept->flush();
    fmt::print(stderr, "macmi: {}\n", interruption_text(kept.get(), command, why));
  });

  const Dataset data = read_dataset(data_options(a.inputs));
  if (!a.out.empty()) expect_writable("--out", a.out);
  if (!a.report.empty()) expect_writable("--report", a.report);
  SelectionPipeline pipeline(data, a.inputs);
  pipeline.set_command(result_command(a));
  RunSubject subject = pipeline.subject();
  subject.command = command;
  kept = open_run({a.run, a.output.json, a.output.quiet}, subject, a.inputs.data);
  if (kept) pipeline.keep_in(*kept);
  team.run([&] {
    cluster::Coordinator* const others = team.coordinator();
    const TestTeam tests = others ? test_team(*others) : TestTeam{};
    SelectionHooks hooks{.maps = training_hooks(line, a.output.quiet, ""), .cancelled = Interrupt::requested};
    hooks.search.on_progress = drawn_on(line, a, data, pipeline, kept.get(), others);
    hooks.maps.team = team.training();
    if (others) hooks.team = &tests;
    const Selection selection = pipeline.select(hooks);
    line.finish(base::number_of(selection.blanket.tests, "test"));
    write_results(a, selection, pipeline.timing());
  });
}

}  // namespace

Verb select_verb() {
  auto a = std::make_shared<Arguments>();
  return {
      .name = "select",
      .summary = "Find the few features that matter for a target: its Markov blanket",
      .details =
          "Finds the features that together tell what all features tell about the target, as far as the samples show:\n"
          "those next to it (adjacent) and those that tell something beside them (co-parents). Measures what each "
          "adds,\n"
          "asks whether they are enough and whether half of the samples would select them again. Every feature left "
          "out\n"
          "is listed with the set that made it redundant. Tests do not tell a cause from an effect.",
      .positional = {},
      .options = declare(*a),
      .examples = {"macmi simulate housing --n 1000 --out houses.csv && macmi select --data houses.csv --target value",
                   // NOLINTNEXTLINE(bugprone-suspicious-missing-comma): one command that is longer than a line
                   "macmi simulate bullseye3d --n 500 --out spheres.csv && macmi select --data spheres.csv --target y "
                   "--group '^(x\\d+)_'",
                   "macmi simulate bullseye2d --n 500 --out rings.csv && macmi select --data rings.csv --target y "
                   "--delta 1 --json",
                   "macmi simulate census --n 1000 --out people.csv && macmi select --data people.csv --query 'SELECT "
                   "education, marital, sex, income, count(*) AS n FROM data GROUP BY ALL' --weight n --target income",
                   "macmi simulate parity --p 25 --n 300 --out cube.csv && macmi select --data cube.csv --target y "
                   "--interactions pairs"},
      .run = [a] { run(*a, nullptr); },
      .run_on_ranks = lead_or_serve([a](cluster::Ranks& ranks) { run(*a, &ranks); },
                                    [a](cluster::Ranks& ranks) { serve_selection(ranks, a->inputs.select); })};
}

}  // namespace macmi::cli
