// macmi runs: what is kept, what can go, what can be saved.
#include <fmt/format.h>
#include <unistd.h>

#include <algorithm>
#include <iostream>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/number_of.hpp"
#include "macmi/error.hpp"
#include "macmi/run.hpp"
#include "progress_line.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  std::vector<std::string> words;
  double older_than = 0;
  bool dry_run = false;
  Output output;
};

using State = RunSummary::State;

std::string size_text(std::uint64_t bytes) {
  const double kib = static_cast<double>(bytes) / 1024;
  return kib < 1000 ? fmt::format("{:.0f} KiB", kib) : fmt::format("{:.1f} MiB", kib / 1024);
}

std::string result_text(const RunSummary& run) {
  switch (run.state) {
    case State::finished:
      return run.result;
    case State::running:
      return fmt::format("{} stored, process {}", base::number_of(run.tests, "test"), run.process);
    case State::interrupted:
      return fmt::format("{} stored", base::number_of(run.tests, "test"));
    case State::damaged:
    case State::newer:
      break;
  }
  return run.problem;
}

void print_json(const std::vector<RunSummary>& runs) {
  nlohmann::ordered_json all = nlohmann::ordered_json::array();
  for (const RunSummary& run : runs) {
    all.push_back({{"run", run.directory},
                   {"state", text(run.state)},
                   {"target", run.target},
                   {"result", run.result},
                   {"tests", run.tests},
                   {"age", run.age},
                   {"bytes", run.bytes},
                   {"command", run.command}});
    if (run.process) all.back()["process"] = run.process;
    if (!run.problem.empty()) all.back()["problem"] = run.problem;
  }
  fmt::print("{}\n", all.dump(2, ' ', false, nlohmann::json::error_handler_t::replace));
}

void print_table(const std::vector<RunSummary>& runs, const std::string& where) {
  if (runs.empty()) {
    fmt::print("no runs in {}\n", where);
    return;
  }
  std::size_t name = 3, target = 6;
  for (const RunSummary& run : runs) {
    name = std::max(name, run.directory.size());
    target = std::max(target, run.target.size());
  }
  fmt::print("{:<{}}  {:<11}  {:<{}}  {:>8}  {:>9}  {}\n", "run", name, "state", "target", target, "age", "size",
             "result");
  for (const RunSummary& run : runs)
    fmt::print("{:<{}}  {:<11}  {:<{}}  {:>8}  {:>9}  {}\n", run.directory, name, text(run.state), run.target, target,
               duration_text(run.age), size_text(run.bytes), result_text(run));
}

/// On a terminal a person is asked; a script means what it says.
bool agreed(std::size_t runs, std::uint64_t bytes) {
  if (isatty(STDIN_FILENO) == 0 || isatty(STDERR_FILENO) == 0) return true;
  fmt::print(stderr, "Remove {} ({})? [y/N] ", base::number_of(runs, "run"), size_text(bytes));
  std::string answer;
  std::getline(std::cin, answer);
  return answer == "y" || answer == "Y" || answer == "yes";
}

void clean(std::vector<RunSummary> runs, const Arguments& a) {
  std::erase_if(runs, [&](const RunSummary& run) { return run.age < a.older_than * 86400; });
  const auto in_use = std::stable_partition(runs.begin(), runs.end(),
                                            [](const RunSummary& run) { return run.state != State::running; });
  for (auto run = in_use; run != runs.end(); ++run)
    if (!a.output.quiet) fmt::print(stderr, "{}: in use by process {}, left alone\n", run->directory, run->process);
  runs.erase(in_use, runs.end());
  std::uint64_t bytes = 0;
  for (const RunSummary& run : runs) bytes += run.bytes;
  if (!runs.empty() && !a.dry_run && !agreed(runs.size(), bytes)) return;
  for (const RunSummary& run : runs) {
    if (!a.dry_run) remove_run(run.directory);
    if (!a.output.quiet)
      fmt::print("{} {} ({}, {})\n", a.dry_run ? "would remove" : "removed", run.directory, text(run.state),
                 size_text(run.bytes));
  }
  if (runs.empty() && !a.output.quiet) fmt::print("nothing to remove\n");
}

void repair(const std::vector<std::string>& directories, bool quiet) {
  if (directories.empty()) throw InputError("runs repair: name the directory of the run");
  for (const std::string& directory : directories) {
    const std::size_t tests = repair_run(directory);
    if (!quiet)
      fmt::print(
          "{}: {} saved; the damaged journal is kept beside the new one. The command that began the run goes on "
          "from them\n",
          directory, base::number_of(tests, "test"));
  }
}

void run(const Arguments& a) {
  std::vector<std::string> where = a.words;
  std::string action = "list";
  if (!where.empty() && (where.front() == "list" || where.front() == "clean" || where.front() == "repair")) {
    action = where.front();
    where.erase(where.begin());
  }
  if (action == "repair") return repair(where, a.output.quiet);
  if (where.empty()) where = {default_runs_folder};
  std::vector<RunSummary> runs;
  for (const std::string& folder : where)
    for (RunSummary& found : list_runs(folder)) runs.push_back(std::move(found));
  if (action == "clean") return clean(std::move(runs), a);
  if (a.output.json)
    print_json(runs);
  else
    print_table(runs, where.front());
}

}  // namespace

Verb runs_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = {
      {.name = "older-than",
       .field = &a->older_than,
       .meaning = "clean: only runs to which nothing was written for this many days",
       .low = 0,
       .value_name = "DAYS"},
      {.name = "dry-run", .field = &a->dry_run, .meaning = "clean: say what would be removed, and remove nothing"}};
  for (Option& option : declare(a->output)) options.push_back(std::move(option));
  return {.name = "runs",
          .summary = "List the runs that are kept, remove them, save what a damaged one holds",
          .details =
              "macmi runs [DIR…]           state, target, age, size and result of the runs in DIR (macmi-runs), or of "
              "the run DIR\n"
              "macmi runs clean [DIR…]     remove them, except those in use\n"
              "macmi runs repair DIR       a new journal from the tests that a damaged one still holds",
          .positional = {{.name = "what",
                          .field = &a->words,
                          .meaning = "clean or repair, then directories",
                          .value_name = "[clean|repair] [DIR…]"}},
          .options = std::move(options),
          .examples = {"macmi simulate bullseye2d --n 500 --out rings.csv && macmi select --data rings.csv --target y "
                       "&& macmi runs",
                       "macmi runs clean --older-than 30 --dry-run"},
          .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
