// macmi inspect: what was understood of the data, before anything is computed.
#include <fmt/format.h>

#include <memory>

#include "macmi/dataset.hpp"
#include "macmi/error.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  DataOptions data;
  Output output;
};

void run(const Arguments& a) {
  const Dataset data = read_dataset(a.data);
  if (a.output.json)
    fmt::print("{}\n", describe_json(data));
  else
    fmt::print("{}", describe(data));
}

}  // namespace

Verb inspect_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = declare(a->data);
  for (Option& option : declare(a->output)) options.push_back(std::move(option));
  return {.name = "inspect",
          .summary = "Show what is understood of the data: features, types, shapes, health",
          .details =
              "Reads the data as `select` would and says what it found: constant and duplicated columns, missing\n"
              "values, ties, ids, gaps in series, class balance. Nothing is computed.",
          .positional = {},
          .options = std::move(options),
          .examples =
              {"macmi simulate bullseye3d --n 500 --out spheres.csv && macmi inspect --data spheres.csv --target y "
               "--group '^(x\\d+)_'",
               "macmi inspect --query \"SELECT i, i % 7 AS week_day, random() AS noise FROM range(1000) t(i)\" --json"},
          .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
