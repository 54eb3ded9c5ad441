// What journaling costs: journal_time FOLDER [TABLE.md [TESTS]]
// A selection of 10,000 tests without and with a run directory, in the same process. Processor time spent inside the
// tests themselves is taken out of both, so that the noise of a busy machine does not hide a difference of a percent.
#include <fmt/format.h>

#include <atomic>
#include <cstdio>
#include <ctime>
#include <filesystem>
#include <fstream>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "macmi/selection_pipeline.hpp"

namespace {

using namespace macmi;

constexpr double allowed_share = 0.01;

double cpu_seconds(clockid_t clock) {
  timespec t{};
  clock_gettime(clock, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

/// Sums the processor time of another test.
class TimedTest final : public TargetCiTest {
 public:
  TimedTest(const TargetCiTest& inner, std::atomic<double>& inside) : inner_(inner), inside_(inside) {}
  std::span<const std::string> features() const override { return inner_.features(); }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
    const double start = cpu_seconds(CLOCK_THREAD_CPUTIME_ID);
    CiResult result = inner_.test(x, given);
    inside_ += cpu_seconds(CLOCK_THREAD_CPUTIME_ID) - start;
    return result;
  }
  CiResult test_again(std::size_t x, std::span<const std::size_t> given, const CiResult& earlier) const override {
    return inner_.test_again(x, given, earlier);
  }

 private:
  const TargetCiTest& inner_;
  std::atomic<double>& inside_;
};

/// 20 causes of one target, so that nothing falls and the search has more than 10,000 tests to make.
Dataset twenty_causes(std::size_t n) {
  base::RandomStream random(base::StreamKey(1).with("twenty causes"));
  Dataset data;
  data.source = "memory";
  data.rows.resize(n);
  std::iota(data.rows.begin(), data.rows.end(), std::uint64_t{0});
  std::vector<double> t(n);
  for (int f = 0; f < 20; ++f) {
    DataColumn column;
    column.name = fmt::format("cause {}", f);
    for (std::size_t i = 0; i < n; ++i) {
      column.values.push_back(random.normal());
      t[i] += column.values.back();
    }
    Feature feature;
    feature.name = column.name;
    feature.columns.push_back(std::move(column));
    data.features.push_back(std::move(feature));
  }
  DataColumn target;
  target.name = "effect";
  target.values = std::move(t);
  data.target.name = "effect";
  data.target.columns.push_back(std::move(target));
  return data;
}

struct Cost {
  double total = 0;    ///< processor time of the search
  double outside = 0;  ///< of it, not inside the tests
  std::size_t tests = 0;
};

Cost search(const Dataset& data, const SelectOptions& options, const std::string& directory) {
  SelectionPipeline pipeline(data, options);
  std::unique_ptr<Run> run;
  if (!directory.empty()) run = std::make_unique<Run>(directory, pipeline.subject());
  if (run) pipeline.keep_in(*run);
  std::atomic<double> inside = 0;
  const TestTeam timed{.size = base::thread_count(0),
                       .spread = [&](const SelectionTest& test) { return std::make_unique<TimedTest>(test, inside); }};
  const double start = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
  Cost cost;
  cost.tests = pipeline.select({.team = &timed}).blanket.tests;
  cost.total = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
  cost.outside = cost.total - inside;
  return cost;
}

struct Row {
  std::string name;
  std::size_t n;
  Method method;
  bool asserted;
};

}  // namespace

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: journal_time FOLDER [TABLE.md [TESTS]]\n");
    return 2;
  }
  const std::uint64_t tests_in_all = argc > 3 ? std::stoull(argv[3]) : 10000;
  const std::string directory = std::string(argv[1]) + "/journal_time.run";
  std::string table =
      "# What the journal costs\n\n"
      "Written by `build/journal_time` (part of `make bench`). A selection of 10,000 tests with and without a run "
      "directory:\n"
      "20 features, thresholds that let none of them fall, otherwise as by default. Every test stops at its first "
      "look, so that\n"
      "tests are as cheap as they get. Processor time of all threads. \"Journaling\" is what a run adds outside the "
      "tests; the\n"
      "bench fails when it is 1% or more of the k-NN run. Last column: the same command again, from the stored "
      "tests.\n\n"
      "| run | samples | tests | a test | whole run | journaling | share | journaling a test | journal | again |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n";
  bool passed = true;
  for (const Row& row :
       {Row{"k-NN", 200, Method::knn, true}, Row{"partial correlation", 200, Method::fisherz, false}}) {
    const Dataset data = twenty_causes(row.n);
    SelectOptions options;
    options.method = row.method;
    options.search.alpha = 1;
    options.search.min_cmi = -1;  // nothing falls
    options.search.max_tests = tests_in_all;
    // A tenth tells what the search itself takes outside the tests.
    SelectOptions tenth = options;
    tenth.search.max_tests = tests_in_all / 10;
    const Cost without = search(data, tenth, "");
    std::filesystem::remove_all(directory);
    const Cost with = search(data, options, directory);
    const auto bytes = static_cast<double>(std::filesystem::file_size(directory + "/journal.sqlite"));
    const double start = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID);
    RunTests used;
    {
      SelectionPipeline pipeline(data, options);
      Run run(directory, pipeline.subject());
      pipeline.keep_in(run);
      pipeline.select();
      used = run.tests();
    }
    const double again = cpu_seconds(CLOCK_PROCESS_CPUTIME_ID) - start;
    std::filesystem::remove_all(directory);
    const double journaling = with.outside - 10 * without.outside, share = journaling / with.total;
    const auto tests = static_cast<double>(with.tests);
    table += fmt::format(
        "| {} | {} | {} | {:.3f} ms | {:.1f} s | {:.2f} s | {:.2f}% | {:.0f} µs | {:.1f} MB | {:.2f} s "
        "({} tests made) |\n",
        row.name, row.n, with.tests, 1e3 * (with.total - with.outside) / tests, with.total, journaling, 100 * share,
        1e6 * journaling / tests, bytes / 1e6, again, used.made);
    if (row.asserted && (!(share < allowed_share) || with.tests < tests_in_all)) passed = false;
  }
  fmt::print("{}{}", table, passed ? "" : "\nFAILED: journaling takes 1% or more\n");
  if (argc > 2 && passed) std::ofstream(argv[2]) << table;
  return passed ? 0 : 1;
}
