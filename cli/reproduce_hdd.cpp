// macmi reproduce hdd: the paper's experiment on hard drives.
#include "reproduce_hdd.hpp"

#include <fmt/format.h>

#include <memory>

#include "interrupt.hpp"
#include "progress_line.hpp"
#include "report/html.hpp"
#include "run/whole_file.hpp"

namespace macmi::cli {

void run_reproduce_hdd(const HddOptions& options, const std::string& out, const Output& output) {
  require_report_page();
  make_directory(out);
  ProgressLine line(!output.quiet);
  const Interrupt interrupt([&] { line.clear(); });
  const HddReproduction result = reproduce_hdd(options, [&](const Progress& progress) {
    line.update(progress);
    return !Interrupt::requested();
  });
  line.finish("hdd");
  const std::vector<std::string> files = write_hdd(result, out);
  if (output.json) {
    fmt::print("{}\n", hdd_json(result));
    return;
  }
  fmt::print("{}", hdd_text(result));
  for (const std::string& file : files) fmt::print("  {}\n", file);
}

Verb reproduce_hdd_verb() {
  struct Arguments {
    int experiment = 0;
    HddOptions hdd;
    std::string out;
    Output output;
  };
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = {{.name = "out",
                                  .field = &a->out,
                                  .meaning = "Directory for result, evaluation and page",
                                  .value_name = "DIR",
                                  .required = true}};
  for (Option& option : declare(a->hdd)) options.push_back(std::move(option));
  for (Option& option : declare(a->output)) options.push_back(std::move(option));
  return {.name = "reproduce",
          .summary = "Run one of the paper's experiments again: tables, figures, one page",
          .details =
              "hdd (section 5.3): which attributes predict disk failure, and what a predictor on them is worth beside "
              "one on all\n"
              "attributes and one on those of l1 selection; on prepared data, or on a simulated fleet whose causes are "
              "known.",
          .positional = {{.name = "experiment",
                          .field = choice_of(a->experiment, {"hdd"}),
                          .meaning = "Which experiment",
                          .required = true}},
          .options = std::move(options),
          .examples = {"macmi reproduce hdd --quick --no-evaluation --out hdd",
                       "macmi simulate hdd --n 200 --days 8 --out fleet.csv && macmi reproduce hdd --quick "
                       "--no-evaluation --data fleet.csv --out hdd"},
          .run = [a] { run_reproduce_hdd(a->hdd, a->out, a->output); }};
}

}  // namespace macmi::cli
