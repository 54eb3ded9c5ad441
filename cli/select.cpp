// macmi select: the Markov blanket of a target, from files to the result.
#include <fmt/format.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cstdio>
#include <memory>
#include <optional>
#include <string_view>
#include <utility>
#include <variant>

#include "base/parallel.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"
#include "macmi/select.hpp"
#include "report/html.hpp"
#include "result_files.hpp"
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
  std::string report;
  Output output;
};

/// The one list of this verb's options.
std::vector<Option> options_of(Arguments& a) {
  std::vector<Option> options = declare(a.data);
  std::erase_if(options, [](const Option& option) { return option.name == "seed"; });  // one --seed for all
  options.push_back({.name = "maps",
                     .field = choice_of(a.maps, {"none"}),
                     .meaning = "Feature maps: none tests the samples as they are"});
  for (Option& option : declare(a.select)) options.push_back(std::move(option));
  options.push_back({.name = "out",
                     .field = &a.out,
                     .meaning = "Also write the result, as JSON, to this file",
                     .value_name = "FILE"});
  options.push_back({.name = "report",
                     .field = &a.report,
                     .meaning = "Also write the result as one HTML page to look at",
                     .value_name = "FILE.html"});
  for (Option& option : declare(a.output)) options.push_back(std::move(option));
  return options;
}

/// Seconds of one typical test, measured on the first feature given the second.
double seconds_per_test(const Dataset& data, const SelectOptions& options) {
  const auto test = make_dataset_test(data, options);
  const std::size_t second[] = {1};
  const auto start = std::chrono::steady_clock::now();
  test->test(0, std::span(second).first(data.features.size() > 1 ? 1 : 0));
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

/// What is about to be done and roughly how long it takes; to standard error.
void announce(const Dataset& data, const SelectOptions& options, const SearchProgress& start) {
  for (const std::string& line : health_lines(data.health)) fmt::print(stderr, "{}\n", line);
  if (data.features.empty()) return;
  const auto expected = options.search.max_tests ? std::min<std::size_t>(start.expected, options.search.max_tests) : start.expected;
  const double threads = static_cast<double>(thread_count(options.test.threads));
  const StabilityOptions& stability = options.stability;
  const double searches =
      1 + static_cast<double>(stability.subsamples) * stability.share;  // in searches of all samples
  const double seconds = seconds_per_test(data, options) * static_cast<double>(expected) / threads * searches;
  fmt::print(stderr, "{} samples, {} features: about {} tests expected (at most {}){}, roughly {}\n", data.samples(),
             data.features.size(), expected, start.at_most,
             stability.subsamples ? fmt::format(", and again on {} subsamples", stability.subsamples) : "",
             duration_text(seconds));
}

/// As a POSIX shell takes it for one word.
std::string shell_word(const std::string& text) {
  const auto plain = [](char c) {
    return std::isalnum(static_cast<unsigned char>(c)) ||
           std::string_view("_-./,:=+@%").find(c) != std::string_view::npos;
  };
  if (!text.empty() && std::all_of(text.begin(), text.end(), plain)) return text;
  std::string word;
  for (const char c : text)
    if (c == '\'')
      word.append("'\\''");
    else
      word.push_back(c);
  return fmt::format("'{}'", word);
}

/// What gives this result again, leaving out what cannot change it and what is as it was.
std::string command_of(Arguments given) {
  Arguments fresh;
  const std::vector<Option> options = options_of(given), defaults = options_of(fresh);
  std::string command = "macmi select";
  for (std::size_t i = 0; i < options.size(); ++i) {
    const std::string& name = options[i].name;
    const std::string value = value_text(options[i]);
    if (name == "threads" || name == "out" || name == "report" || name == "json" || name == "quiet" ||
        value == value_text(defaults[i]))
      continue;
    command += fmt::format(" --{}", name);
    if (!std::holds_alternative<bool*>(options[i].field)) command += fmt::format(" {}", shell_word(value));
  }
  return command;
}

void run(Arguments& a) {
  if (a.data.target.empty()) throw InputError("--target: name the column to explain");
  if (!a.report.empty()) require_report_page();
  a.data.seed = a.select.test.seed;
  a.data.threads = a.select.test.threads;
  const Dataset data = read_dataset(a.data);
  std::optional<ResultFile> file, page;
  if (!a.out.empty()) file.emplace("--out", a.out);
  if (!a.report.empty()) page.emplace("--report", a.report);

  SelectionTiming timing;
  Selection selection;
  {
    SearchProgressLine line(!a.output.quiet);
    bool announced = a.output.quiet;
    SearchHooks hooks;
    hooks.on_progress = [&](const SearchProgress& progress) {
      if (!std::exchange(announced, true)) announce(data, a.select, progress);
      return line.update(progress);
    };
    hooks.on_test = [&](const TestRecord&) { line.test_finished(); };
    selection = select_features(data, a.select, hooks);
    timing = {line.seconds(), thread_count(a.select.test.threads), line.tests_made(), data.source, command_of(a)};
  }
  const std::string json = selection_json(selection, timing);
  if (file) file->finish(json);
  if (page) page->finish(report_html(selection, timing));
  if (a.output.json) fmt::print("{}\n", json);
  else fmt::print("{}", selection_text(selection));
}

}  // namespace

Verb select_verb() {
  auto a = std::make_shared<Arguments>();
  return {
      .name = "select",
      .summary = "Find the few features that matter for a target: its Markov blanket",
      .details =
          "The features that, once known, make all others superfluous for predicting the target: its direct causes,\n"
          "its direct effects (adjacent), and the other causes of those effects (co-parents).\n"
          "Every feature left out is listed with the set that made it redundant.",
      .positional = {},
      .options = options_of(*a),
      .examples = {"macmi simulate bullseye3d --n 500 --out spheres.csv && macmi select --data spheres.csv --target y "
                   "--group '^(x\\d+)_'",
                   "macmi simulate bullseye2d --n 500 --out rings.csv && macmi select --data rings.csv --target y "
                   "--delta 1 --json"},
      .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
