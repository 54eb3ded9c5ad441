// macmi prepare: raw files of a known source to a data set.
#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>

#include "base/number_of.hpp"
#include "interrupt.hpp"
#include "macmi/prepare.hpp"
#include "progress_line.hpp"
#include "result_files.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

enum class Source { backblaze };

struct Arguments {
  Source source = Source::backblaze;
  PrepareOptions prepare;
  Output output;
};

void run(const Arguments& a) {
  expect_writable("--out", a.prepare.out);
  ProgressLine line(!a.output.quiet);
  const Interrupt interrupt([&] { line.clear(); });
  const PrepareReport report = prepare_backblaze(a.prepare, [&](const Progress& progress) {
    line.update(progress);
    return !Interrupt::requested();
  });
  line.finish(base::number_of(report.files, "file"));
  if (a.output.json) {
    fmt::print("{}\n", nlohmann::ordered_json({{"out", a.prepare.out},
                                               {"files", report.files},
                                               {"rows", report.rows},
                                               {"drives", report.drives},
                                               {"duplicates", report.duplicates},
                                               {"blank", report.blank},
                                               {"failures", report.failures},
                                               {"failed", report.failed},
                                               {"healthy", report.healthy},
                                               {"features", report.features},
                                               {"absent", report.absent},
                                               {"notes", report.notes}})
                           .dump(2));
    return;
  }
  for (const std::string& note : report.notes) fmt::print(stderr, "{}\n", note);
  if (a.output.quiet) return;
  fmt::print("{}: {} failing and {} healthy drives, {} days of {} features each\n", a.prepare.out, report.failed,
             report.healthy, a.prepare.window, report.features.size());
}

}  // namespace

Verb prepare_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = declare(a->prepare);
  for (Option& option : declare(a->output)) options.push_back(std::move(option));
  return {.name = "prepare",
          .summary = "Make a data set of raw files: one window of days per hard drive",
          .details =
              "backblaze: the daily files of backblaze.com's drive statistics, of any year and number. Each drive of "
              "one model\n"
              "gives a window of days; failure is 1 in every row of a drive that fails --lead days after its window's "
              "last day.\n"
              "Healthy windows end on the same days as the failing ones, one per drive. Files whose header does not "
              "fit are\n"
              "refused. The result is read with --id serial_number --time date --target failure.",
          .positional = {{.name = "source",
                          .field = choice_of(a->source, {"backblaze"}),
                          .meaning = "Where the files are from",
                          .required = true}},
          .options = std::move(options),
          .examples = {"printf "
                       "'date,serial_number,model,failure,smart_5_raw,smart_9_raw\\n2018-01-01,A,ST4000DM000,0,0,"
                       "100\\n2018-01-01,B,"
                       "ST4000DM000,0,8,900\\n2018-01-02,A,ST4000DM000,0,0,124\\n2018-01-02,B,ST4000DM000,1,64,924\\n' "
                       "> 2018.csv && macmi prepare "
                       "backblaze --input 2018.csv --window 2 --out drives.parquet",
                       "macmi prepare backblaze --input '201?.csv' --lead 1 --window 1 --ratio 10 --out ahead.csv"},
          .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
