// macmi select: the Markov blanket of a target, from files to the result.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>

#include "base/parallel.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"
#include "macmi/select.hpp"
#include "report/selection.hpp"
#include "search_progress.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

enum class Maps { none };

struct Arguments {
  DataOptions data;
  Maps maps = Maps::none;
  SelectOptions select;
  std::string out;
  Output output;
};

/// Seconds of one typical test, measured on the first feature given the second.
double seconds_per_test(const Dataset& data, const SelectOptions& options) {
  const auto test = make_dataset_test(data, options);
  const std::size_t second[] = {1};
  const auto start = std::chrono::steady_clock::now();
  test->test(0, std::span(second).first(data.features.size() > 1 ? 1 : 0));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

void announce(const Dataset& data, const SelectOptions& options) {
  for (const std::string& line : health_lines(data.health)) fmt::print(stderr, "{}\n", line);
  if (data.features.empty()) return;
  const std::size_t m = data.features.size();
  TestForecast forecast = forecast_tests(m, m, 0, options.search);
  if (options.search.max_tests) forecast.expected = std::min<std::size_t>(forecast.expected, options.search.max_tests);
  const double threads = static_cast<double>(thread_count(options.test.threads));
  const double seconds = seconds_per_test(data, options) * static_cast<double>(forecast.expected) / threads;
  fmt::print(stderr, "{} samples, {} features: about {} tests expected (at most {}), roughly {}\n", data.samples(), m,
             forecast.expected, forecast.at_most, duration_text(seconds));
}

/// Written beside and renamed, so that a failed run leaves nothing half-written.
void write_file(const std::string& path, const std::string& text) {
  const std::string unfinished = path + ".part";
  std::ofstream file(unfinished, std::ios::binary);
  file << text << "\n";
  file.close();
  if (!file || std::rename(unfinished.c_str(), path.c_str()) != 0) {
    std::remove(unfinished.c_str());
    throw InputError(fmt::format("--out: cannot write '{}': check that the folder exists and is writable", path));
  }
}

void run(Arguments& a) {
  if (a.data.target.empty()) throw InputError("--target: name the column to explain");
  a.data.seed = a.select.test.seed;
  a.data.threads = a.select.test.threads;
  const Dataset data = read_dataset(a.data);
  if (!a.output.quiet) announce(data, a.select);

  SelectionTiming timing;
  Selection selection;
  {
    SearchProgressLine line(!a.output.quiet);
    SearchHooks hooks;
    hooks.on_progress = [&](const SearchProgress& progress) { return line.update(progress); };
    hooks.on_test = [&](const TestRecord&) { line.test_finished(); };
    selection = select_features(data, a.select, hooks);
    timing = {line.seconds(), thread_count(a.select.test.threads), line.tests_made()};
  }
  const std::string json = selection_json(selection, timing);
  if (!a.out.empty()) write_file(a.out, json);
  if (a.output.json) fmt::print("{}\n", json);
  else fmt::print("{}", selection_text(selection));
}

}  // namespace

Verb select_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = declare(a->data);
  std::erase_if(options, [](const Option& option) { return option.name == "seed"; });  // one --seed for all
  options.push_back({.name = "maps",
                     .field = choice_of(a->maps, {"none"}),
                     .meaning = "Feature maps: none tests the samples as they are"});
  for (Option& option : declare(a->select)) options.push_back(std::move(option));
  options.push_back({.name = "out", .field = &a->out, .meaning = "Also write the result, as JSON, to this file", .value_name = "FILE"});
  for (Option& option : declare(a->output)) options.push_back(std::move(option));
  return {.name = "select",
          .summary = "Find the few features that matter for a target: its Markov blanket",
          .details = "The features that, once known, make all others superfluous for predicting the target: its direct causes,\n"
                     "its direct effects (adjacent), and the other causes of those effects (co-parents).\n"
                     "Every feature left out is listed with the set that made it redundant.",
          .positional = {},
          .options = std::move(options),
          .examples = {"macmi simulate bullseye3d --n 1000 --out spheres.csv && macmi select --data spheres.csv --target y --group '^(x\\d+)_'",
                       "macmi simulate bullseye2d --n 1000 --out rings.csv && macmi select --data rings.csv --target y --delta 1 --json"},
          .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
