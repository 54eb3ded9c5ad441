// macmi explain: one feature of a result, in sentences.
#include <fmt/format.h>

#include <fstream>
#include <memory>
#include <sstream>

#include "macmi/error.hpp"
#include "report/selection.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  std::string run;
  std::string feature;
};

std::string read_file(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  std::ostringstream text;
  if (!(text << file.rdbuf()))
    throw InputError(fmt::format("cannot read '{}': give the file that `macmi select --out FILE` wrote", path));
  return text.str();
}

void run(const Arguments& a) {
  const Selection selection = read_selection_json(read_file(a.run), a.run);
  for (const std::string& line : explanation(selection, a.feature)) fmt::print("{}\n", line);
}

}  // namespace

Verb explain_verb() {
  auto a = std::make_shared<Arguments>();
  return {.name = "explain",
          .summary = "Tell why a feature was selected, or what made it redundant",
          .details = {},
          .positional = {{.name = "run", .field = &a->run, .meaning = "Result of macmi select --out FILE or --json", .value_name = "RUN", .required = true},
                         {.name = "feature", .field = &a->feature, .meaning = "Name of the feature", .value_name = "FEATURE", .required = true}},
          .options = {},
          .examples = {"macmi simulate bullseye2d --n 500 --out rings.csv && macmi select --data rings.csv --target y --out rings.json && macmi explain rings.json x1_0",
                       "macmi simulate bullseye2d --n 500 --out rings.csv && macmi select --data rings.csv --target y --method fisherz --json > linear.json && macmi explain linear.json x1_1"},
          .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
