// macmi report: a finished result as one HTML page.
#include <fmt/format.h>

#include <filesystem>
#include <memory>
#include <optional>

#include "base/files/whole_file.hpp"
#include "macmi/evaluate.hpp"
#include "macmi/report.hpp"
#include "result_files.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  std::string run;
  std::string out;
};

void run(const Arguments& a) {
  const ResultText result = read_result(a.run);
  const std::string out =
      a.out.empty() ? std::filesystem::path(result.path).replace_extension(".html").string() : a.out;
  const std::string beside = std::filesystem::path(result.path).replace_extension(".evaluation.json").string();
  const Selection selection = read_selection_json(result.text, result.path);
  std::optional<Evaluation> evaluation;
  if (std::filesystem::exists(beside)) evaluation = read_evaluation_json(base::read_whole_file(beside), beside);
  if (evaluation && (evaluation->selection != selection.blanket.members || evaluation->samples != selection.samples)) {
    fmt::print(stderr, "{} belongs to another selection and is not shown; `macmi evaluate {}` evaluates this one\n",
               beside, a.run);
    evaluation.reset();
  }
  const std::string html =
      report_html(selection, read_selection_timing(result.text, result.path), evaluation ? &*evaluation : nullptr);
  expect_writable("--out", out);
  base::write_whole_file(out, html + "\n");
  fmt::print("{}\n", out);
}

}  // namespace

Verb report_verb() {
  auto a = std::make_shared<Arguments>();
  return {.name = "report",
          .summary = "Write a result as one HTML page to look at and to pass on",
          .details =
              "The page holds all its data and scripts: it opens from disk, without network.\n"
              "`macmi select --report FILE.html` writes the same page at once.",
          .positional = {result_argument(a->run)},
          .options = {{.name = "out",
                       .field = &a->out,
                       .meaning = "Where to write the page; by default beside the result, as .html",
                       .value_name = "FILE"}},
          .examples = {"macmi simulate bullseye2d --n 500 --out rings.csv && macmi select --data rings.csv --target y "
                       "--out rings.json && macmi report rings.json",
                       "macmi simulate bullseye2d --n 500 --out rings.csv && macmi select --data rings.csv --target y "
                       "--json > rings.json && macmi report rings.json --out rings.html"},
          .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
