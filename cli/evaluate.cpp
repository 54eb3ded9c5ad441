// macmi evaluate: what a selection is worth for prediction.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/files/whole_file.hpp"
#include "base/number_of.hpp"
#include "interrupt.hpp"
#include "macmi/error.hpp"
#include "macmi/evaluate.hpp"
#include "macmi/report.hpp"
#include "progress_line.hpp"
#include "result_files.hpp"
#include "run/ledger.hpp"
#include "team.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  std::string run;
  std::vector<std::string> data;
  std::string group;
  EvaluateOptions evaluate;
  std::uint64_t threads = 0;
  std::string out;
  Output output;
};

/// The inputs of the selection; data that came from memory, or has moved, is where the user says.
SelectionInputs inputs_of(const Selection& selection, const Arguments& a, const std::string& path) {
  SelectionInputs inputs = selection_inputs(selection, path);
  if (!a.data.empty()) inputs.data.data = a.data;
  if (!a.group.empty()) inputs.data.group = a.group;
  if (inputs.data.data.empty() && inputs.data.query.empty())
    throw InputError(
        fmt::format("{} was made of samples in memory, not of a file: give a table of the same columns with --data, "
                    "and --group where features have several of them",
                    path));
  inputs.select.test.threads = a.threads;
  return inputs;
}

/// Refuses data that the result cannot have been made of.
void expect_same_data(const Dataset& data, const Selection& selection, const std::string& path) {
  const auto refuse = [&](const std::string& why) {
    throw InputError(fmt::format("{} is not the data that {} was made of: {}", data.source, path, why));
  };
  for (const FeatureVerdict& feature : selection.blanket.features)
    if (std::none_of(data.features.begin(), data.features.end(),
                     [&](const Feature& f) { return f.name == feature.name; }))
      refuse(fmt::format("it has no feature '{}'", feature.name));
  if (data.features.size() != selection.blanket.features.size())
    refuse(fmt::format("it has {}, the result {}", base::number_of(data.features.size(), "feature"),
                       selection.blanket.features.size()));
  if (data.samples() != selection.samples)
    refuse(fmt::format("it has {}, the result {}", base::number_of(data.samples(), "sample"), selection.samples));
}

void run(const Arguments& a) {
  const ResultText result = read_result(a.run);
  const Selection selection = read_selection_json(result.text, result.path);
  const std::vector<std::string>& selected = selection.blanket.members;
  const SelectionInputs inputs = inputs_of(selection, a, result.path);
  const std::string out =
      a.out.empty() ? std::filesystem::path(result.path).replace_extension(".evaluation.json").string() : a.out;
  expect_writable("--out", out);
  const Dataset data = read_dataset(data_options(inputs));
  expect_same_data(data, selection, result.path);
  check_selection(data, inputs.select);
  check_evaluation(data, selected, a.evaluate);
  const std::string unfinished = out + ".unfinished";
  ProgressLine line(!a.output.quiet);
  Team alone(nullptr, [&](const std::string& why) {
    line.clear();
    if (!a.output.quiet)
      fmt::print(stderr, "{}; what was finished is kept in {}: the same command goes on from it\n", why, unfinished);
  });
  Evaluation evaluation;
  alone.run([&] {
    run::Ledger ledger(unfinished);
    evaluation = evaluate_selection(
        data, selected, inputs.select, a.evaluate,
        [&](const Progress& progress) {
          line.update(progress);
          return !Interrupt::requested();
        },
        ledger.work());
    base::write_whole_file(out, evaluation_json(evaluation) + "\n");
    ledger.remove();
  });
  line.finish(fmt::format("{} parts", evaluation.parts));
  if (a.output.json)
    fmt::print("{}\n", evaluation_json(evaluation));
  else
    fmt::print("{}", evaluation_text(evaluation));
}

}  // namespace

Verb evaluate_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = {
      {.name = "data",
       .field = &a->data,
       .meaning =
           "The data of the selection, if the files have moved or if the result is of samples that Python had in "
           "memory",
       .value_name = "FILES"},
      {.name = "group",
       .field = &a->group,
       .meaning = "Regular expression that makes the features of --data, as for select; by default the result's",
       .value_name = "REGEX"}};
  for (Option& option : declare(a->evaluate)) options.push_back(std::move(option));
  options.push_back({.name = "threads",
                     .field = &a->threads,
                     .meaning = "Threads; 0: every core. The result does not depend on them"});
  options.push_back(
      {.name = "out",
       .field = &a->out,
       .meaning = "Where to write the evaluation, as JSON; by default beside the result, as .evaluation.json",
       .value_name = "FILE"});
  for (Option& option : declare(a->output)) options.push_back(std::move(option));
  const std::string select =
      "macmi simulate bullseye2d --n 400 --out rings.csv && macmi select --data rings.csv --target y --epochs 5 "
      "--permutations 99 --out rings.json && ";
  return {.name = "evaluate",
          .summary = "Compare predictors on all features, the selected ones, random ones and those of l1 selection",
          .details =
              "Fresh predictors of the target, of one architecture and budget, are learned on all features, on the "
              "selected ones, on\n"
              "random sets of as many, and on those that an l1 penalty on feature weights keeps; cross-validated over "
              "units, the\n"
              "selection repeated on the training samples of each part. ROC, AUC and average precision for two "
              "classes, with\n"
              "bootstrap intervals of the differences. `macmi report` shows the evaluation that lies beside a result.\n"
              "After an interruption the same command goes on from what was finished.",
          .positional = {result_argument(a->run)},
          .options = std::move(options),
          .examples = {select + "macmi evaluate rings.json --parts 2 --random-sets 1 --no-l1",
                       select + "macmi evaluate rings.json --parts 2 --random-sets 0 --keep-selection --json"},
          .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
