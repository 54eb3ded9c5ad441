// macmi evaluate: what a selection is worth for prediction.
#include <fmt/format.h>

#include <cstdio>
#include <filesystem>
#include <memory>

#include "base/files/whole_file.hpp"
#include "command_line.hpp"
#include "evaluate/kept_in.hpp"
#include "evaluate_result.hpp"
#include "interrupt.hpp"
#include "macmi/error.hpp"
#include "macmi/evaluate.hpp"
#include "progress_line.hpp"
#include "report/selection.hpp"
#include "result_files.hpp"
#include "team.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  std::string run;
  EvaluateOptions evaluate;
  std::uint64_t threads = 0;
  std::string out;
  Output output;
};

/// Words of a command as a shell would take them: '…' is one word, '\'' within.
std::vector<std::string> shell_words(const std::string& text) {
  std::vector<std::string> words;
  std::string word;
  bool quoted = false, begun = false;
  for (std::size_t i = 0; i < text.size(); ++i) {
    const char c = text[i];
    if (c == '\'') {
      quoted = !quoted;
      begun = true;
    } else if (!quoted && c == '\\' && i + 1 < text.size()) {
      word += text[++i];
      begun = true;
    } else if (!quoted && c == ' ') {
      if (begun) words.push_back(word);
      word.clear();
      begun = false;
    } else {
      word += c;
      begun = true;
    }
  }
  if (begun) words.push_back(word);
  return words;
}

void run(const Arguments& a) {
  const ResultText result = read_result(a.run);
  const std::vector<std::string> selected = read_selection_json(result.text, result.path).blanket.members;
  SelectionInputs inputs = selection_inputs(read_selection_timing(result.text, result.path).command, result.path);
  inputs.select.test.threads = a.threads;
  inputs.data.threads = a.threads;
  const std::string out =
      a.out.empty() ? std::filesystem::path(result.path).replace_extension(".evaluation.json").string() : a.out;
  expect_writable("--out", out);
  const Dataset data = read_dataset(inputs.data);
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
    Ledger ledger(unfinished);
    evaluation = evaluate_selection(
        data, selected, inputs.select, a.evaluate,
        [&](const Progress& progress) {
          line.update(progress);
          return !Interrupt::requested();
        },
        kept_in(ledger));
    write_whole_file(out, evaluation_json(evaluation) + "\n");
    ledger.remove();
  });
  line.finish(fmt::format("{} parts", evaluation.parts));
  if (a.output.json)
    fmt::print("{}\n", evaluation_json(evaluation));
  else
    fmt::print("{}", evaluation_text(evaluation));
}

}  // namespace

SelectionInputs selection_inputs(const std::string& command, const std::string& path) {
  const std::vector<std::string> words = shell_words(command);
  if (words.size() < 3 || words[0] != "macmi" || words[1] != "select")
    throw InputError(fmt::format("{} does not say which command made it; select again with this version", path));
  SelectionInputs inputs;
  Verb verb;
  verb.name = "select";
  verb.options = declare(inputs.data);
  std::erase_if(verb.options, [](const Option& option) { return option.name == "seed"; });
  for (Option& option : declare(inputs.select)) verb.options.push_back(std::move(option));
  fill_options(verb, std::span(words).subspan(2));
  inputs.data.seed = inputs.select.test.seed;
  return inputs;
}

Verb evaluate_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = declare(a->evaluate);
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
              "Ended before its time, it goes on from what was finished: give the same command.",
          .positional = {{.name = "run",
                          .field = &a->run,
                          .meaning =
                              "Directory of a run, its name in macmi-runs, or the file of macmi select --out or --json",
                          .value_name = "RUN",
                          .required = true}},
          .options = std::move(options),
          .examples = {select + "macmi evaluate rings.json --parts 2 --random-sets 1 --no-l1",
                       select + "macmi evaluate rings.json --parts 2 --random-sets 0 --keep-selection --json"},
          .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
