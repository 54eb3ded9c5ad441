// macmi select: the Markov blanket of a target, from files to the result.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <fstream>
#include <memory>
#include <optional>
#include <utility>

#include "base/parallel.hpp"
#include "macmi/dataset.hpp"
#include "macmi/error.hpp"
#include "macmi/select.hpp"
#include "report/selection.hpp"
#include "search_progress.hpp"
#include "training_progress.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

struct Arguments {
  DataOptions data;
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

/// What is about to be done and roughly how long it takes; to standard error.
void announce(const Dataset& data, const SelectOptions& options, const SearchProgress& start) {
  for (const std::string& line : health_lines(data.health)) fmt::print(stderr, "{}\n", line);
  if (data.features.empty()) return;
  const auto expected = options.search.max_tests ? std::min<std::size_t>(start.expected, options.search.max_tests) : start.expected;
  const double threads = static_cast<double>(thread_count(options.test.threads));
  const double seconds = seconds_per_test(data, options) * static_cast<double>(expected) / threads;
  fmt::print(stderr, "{} samples, {} features: about {} tests expected (at most {}), roughly {}\n", data.samples(),
             data.features.size(), expected, start.at_most, duration_text(seconds));
}

/// A file that is there whole or not at all. Opened at once, so that a path that cannot be written is known before the
/// work is done.
class ResultFile {
 public:
  explicit ResultFile(std::string path) : path_(std::move(path)), unfinished_(path_ + ".part"), file_(unfinished_, std::ios::binary) {
    if (!file_) refuse();
  }
  ResultFile(const ResultFile&) = delete;
  ResultFile& operator=(const ResultFile&) = delete;
  ~ResultFile() { std::remove(unfinished_.c_str()); }
  void finish(const std::string& text) {
    file_ << text << "\n";
    file_.close();
    if (!file_ || std::rename(unfinished_.c_str(), path_.c_str()) != 0) refuse();
  }

 private:
  [[noreturn]] void refuse() const {
    throw InputError(fmt::format("--out: cannot write '{}': check that the folder exists and is writable", path_));
  }
  std::string path_, unfinished_;
  std::ofstream file_;
};

void run(Arguments& a) {
  if (a.data.target.empty()) throw InputError("--target: name the column to explain");
  a.data.seed = a.select.test.seed;
  a.data.threads = a.select.test.threads;
  const Dataset data = read_dataset(a.data);
  std::optional<ResultFile> file;
  if (!a.out.empty()) file.emplace(a.out);

  SelectionTiming timing;
  Selection selection;
  {
    SearchProgressLine line(!a.output.quiet);
    TrainingProgressLine training(!a.output.quiet);
    bool announced = a.output.quiet;
    SearchHooks hooks;
    hooks.on_progress = [&](const SearchProgress& progress) {
      if (!std::exchange(announced, true)) announce(data, a.select, progress);
      return line.update(progress);
    };
    hooks.on_test = [&](const TestRecord&) { line.test_finished(); };
    selection = select_features(data, a.select, hooks, training.hooks());
    timing = {line.seconds(), thread_count(a.select.test.threads), line.tests_made()};
  }
  const std::string json = selection_json(selection, timing);
  if (file) file->finish(json);
  if (a.output.json) fmt::print("{}\n", json);
  else fmt::print("{}", selection_text(selection));
}

}  // namespace

Verb select_verb() {
  auto a = std::make_shared<Arguments>();
  std::vector<Option> options = declare(a->data);
  std::erase_if(options, [](const Option& option) { return option.name == "seed"; });  // one --seed for all
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
          .examples = {"macmi simulate bullseye3d --n 500 --out spheres.csv && macmi select --data spheres.csv --target y --group '^(x\\d+)_'",
                       "macmi simulate bullseye2d --n 500 --out rings.csv && macmi select --data rings.csv --target y --delta 1 --json"},
          .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
