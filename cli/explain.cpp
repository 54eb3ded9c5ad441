// macmi explain: one feature of a result, in sentences.
#include <fmt/format.h>

#include <memory>

#include "macmi/report.hpp"
#include "result_files.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  std::string run;
  std::string feature;
};

void run(const Arguments& a) {
  const ResultText result = read_result(a.run);
  const Selection selection = read_selection_json(result.text, result.path);
  for (const std::string& line : explanation(selection, a.feature)) fmt::print("{}\n", line);
}

}  // namespace

Verb explain_verb() {
  auto a = std::make_shared<Arguments>();
  return {.name = "explain",
          .summary = "Tell why a feature was selected, or what made it redundant",
          .details = {},
          .positional = {result_argument(a->run),
                         {.name = "feature",
                          .field = &a->feature,
                          .meaning = "Name of the feature",
                          .value_name = "FEATURE",
                          .required = true}},
          .options = {},
          .examples = {"macmi simulate bullseye2d --n 500 --out rings.csv && macmi select --data rings.csv --target y "
                       "--run rings && macmi explain rings x1_0",
                       "macmi simulate bullseye2d --n 500 --out rings.csv && macmi select --data rings.csv --target y "
                       "--method fisherz --json > linear.json && macmi explain linear.json x1_1"},
          .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
