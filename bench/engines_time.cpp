// Measures how much every engine gains in the case it exists for (src/citest/engines/choose_engine.hpp): CPU time
// beside the next best engine that can do the case, and beside the plain definition, in one run on one thread.
//   engines_time [REPORT.md [ENGINE]]     fails where sums differ, or where an engine gains less than 1.3 times
// MACMI_COMMIT names the commit on the page.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "citest/engines/choose_engine.hpp"
#include "citest/engines/spatial_order.hpp"
#include "citest/fold_problem.hpp"
#include "citest/null/stopping.hpp"
#include "citest/permutation/local_permutation.hpp"
#include "citest/permutation/z_regression.hpp"

namespace macmi {
namespace {

using citest::StatisticProblem;

constexpr double least_gain = 1.3;
constexpr std::size_t repetitions = 3;

/// The portions in which a test with default options asks for its permutations: one that finds independence ends after
/// two looks; one that finds a dependence draws all of them, and none exceeds what was observed.
const std::vector<std::size_t> short_test = {64, 64};
std::vector<std::size_t> long_test(std::size_t n) {
  TestOptions options;
  options.stop = used_stop(options, n);
  std::vector<std::size_t> portions;
  for (std::size_t drawn = 0; drawn < options.permutations; drawn += portions.back())
    portions.push_back(citest::next_permutations(options, drawn, 0, n));
  return portions;
}

/// As many as slow engines are timed on.
const std::vector<std::size_t> few = {4};

using Make = std::function<std::unique_ptr<citest::StatisticEngine>(const StatisticProblem&)>;
const Make plain = [](const StatisticProblem& p) { return citest::make_plain_engine(p); };
const Make tables = [](const StatisticProblem& p) { return citest::make_table_engine(p, 1); };
const Make grid = [](const StatisticProblem& p) { return citest::make_grid_engine(p, 1); };
const Make labels = [](const StatisticProblem& p) { return citest::make_label_engine(p, 1); };
const Make label_lanes = [](const StatisticProblem& p) { return citest::make_label_lane_engine(p, 1); };
const Make slices = [](const StatisticProblem& p) { return citest::make_slice_engine(p, 1); };
const Make lanes = [](const StatisticProblem& p) { return citest::make_lane_engine(p, 1); };
const Make tree = [](const StatisticProblem& p) {
  return citest::make_tree_engine(p, citest::as_joint_sample(p.sample), 1);
};

/// A block of a case: so many columns of numbers, or classes.
struct Kind {
  std::size_t columns = 0;
  std::uint64_t classes = 0;
};

struct Case {
  std::string engine, text, rival;
  Make make, make_rival;
  Kind x, y, z;
  bool counts = false;  ///< values that repeat: the mixed rule
};

const std::vector<Case> cases = {
    {"tables", "classes alone, one given", "plain", tables, plain, {0, 3}, {0, 3}, {0, 4}},
    {"grid", "two numbers, nothing given", "lanes", grid, lanes, {1, 0}, {1, 0}, {}},
    {"grid", "a number and a class, nothing given", "lanes", grid, lanes, {1, 0}, {0, 3}, {}},
    {"labels", "two classes exchanged, one number given", "label lanes", labels, label_lanes, {0, 2}, {1, 0}, {1, 0}},
    {"labels",
     "three classes exchanged, two numbers given",
     "label lanes",
     labels,
     label_lanes,
     {0, 3},
     {1, 0},
     {2, 0}},
    {"label lanes", "eight classes exchanged, one number given", "labels", label_lanes, labels, {0, 8}, {1, 0}, {1, 0}},
    {"label lanes", "20 classes exchanged, two numbers given", "labels", label_lanes, labels, {0, 20}, {1, 0}, {2, 0}},
    {"slices", "two numbers, one given", "lanes", slices, lanes, {1, 0}, {1, 0}, {1, 0}},
    {"slices", "two numbers, two given", "lanes", slices, lanes, {1, 0}, {1, 0}, {2, 0}},
    {"lanes", "two numbers, one given", "tree", lanes, tree, {1, 0}, {1, 0}, {1, 0}},
    {"lanes", "two counts, two given", "tree", lanes, tree, {1, 0}, {1, 0}, {2, 0}, true},
    {"tree", "two numbers, one given, lattice too coarse", "plain", tree, plain, {1, 0}, {1, 0}, {1, 0}},
};

/// Columns that follow a common cause, or classes of it.
struct Columns {
  Columns(Kind kind, const std::vector<double>& cause, bool counts, base::RandomStream random)
      : numbers(kind.columns, std::vector<double>(cause.size())) {
    for (std::vector<double>& column : numbers)
      for (std::size_t i = 0; i < cause.size(); ++i) {
        const double v = cause[i] + random.normal();
        column[i] = counts ? std::max(0.0, std::round(2 * v)) : v;
      }
    for (std::size_t i = 0; kind.classes > 0 && i < cause.size(); ++i) {
      const double share = 1 / (1 + std::exp(-cause[i] - random.normal()));
      classes.push_back(static_cast<std::int32_t>(share * static_cast<double>(kind.classes)));
    }
  }
  Variable variable() const {
    Variable v = classes.empty() ? Variable() : Variable::categories(classes);
    for (const auto& column : numbers) v.add(Variable(column));
    return v;
  }
  std::vector<std::vector<double>> numbers;
  std::vector<std::int32_t> classes;
};

/// A problem as FoldTest makes it, and permutations of it.
struct Work {
  StatisticProblem problem;
  std::vector<std::uint32_t> sources;
};

Work make_work(const Case& c, std::size_t n, std::size_t permutations) {
  const base::StreamKey key = base::StreamKey(1).with("engines").with(c.text).with(n);
  base::RandomStream random(key);
  std::vector<double> cause(n);
  for (double& v : cause) v = random.normal();
  const auto columns = [&](Kind kind, const char* name) {
    return Columns(kind, cause, c.counts, base::RandomStream(key.with(name)));
  };
  const Columns x = columns(c.x, "x"), y = columns(c.y, "y"), z = columns(c.z, "z");
  TestOptions options;
  options.transform = used_transform(x.variable(), y.variable(), z.variable(), options);
  options.threads = 1;
  const estimation::PreparedSample prepared = citest::in_spatial_order(
      estimation::prepare(x.variable(), y.variable(), z.variable(), citest::estimate_options(options, options.ties)));
  Work work{citest::make_problem(prepared.sample, prepared, options, 0, key), {}};
  const citest::ZRegression regression(prepared.sample.z, n, {&prepared.sample.x, &prepared.sample.y});
  if (c.engine != "tree" && c.rival != "tree")  // trees move x by the unrounded trend
    work.problem.x_trend = citest::in_units(citest::x_trend(prepared, regression), work.problem.sample.unit);
  const citest::LocalPermutations draws(citest::z_on_fine_lattice(prepared.sample), n, options.neighbours, 1);
  work.sources.resize(permutations * n);
  for (std::size_t l = 0; l < permutations; ++l) draws.draw(key, l, std::span(work.sources).subspan(l * n, n));
  return work;
}

double cpu_seconds() {
  timespec t{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

double median(std::vector<double> values) {
  std::sort(values.begin(), values.end());
  return values[values.size() / 2];
}

/// An engine made and asked for the portions one after the other; its sums, and the CPU seconds it took.
struct Run {
  std::vector<citest::StatisticSum> sums;
  double seconds = 0;
  Run(const Make& make, const Work& work, const std::vector<std::size_t>& portions) {
    const std::size_t n = work.problem.sample.n, scales = work.problem.ks.size();
    const double start = cpu_seconds();
    const auto engine = make(work.problem);
    for (std::size_t first = 0; const std::size_t count : portions) {
      std::vector<citest::StatisticSum> part(count * scales);
      engine->evaluate(std::span(work.sources).subspan(first * n, count * n), part);
      sums.insert(sums.end(), part.begin(), part.end());
      first += count;
    }
    seconds = cpu_seconds() - start;
  }
};

struct Gain {
  double milliseconds = 0, over_rival = 0, over_plain = 0;
};

/// `definition`: the plain engine on a few permutations.
Gain measure(const Case& c, const Work& work, const Run& definition, const std::vector<std::size_t>& portions,
             bool& equal) {
  const bool slow_rival = c.rival == "plain" || c.rival == "tree";
  const double few_of_all = static_cast<double>(std::accumulate(portions.begin(), portions.end(), std::size_t{0})) /
                            static_cast<double>(few.front());
  std::vector<double> seconds, gains;
  for (std::size_t r = 0; r < repetitions; ++r) {
    const Run mine(c.make, work, portions);
    const Run rival = c.rival == "plain" ? definition : Run(c.make_rival, work, slow_rival ? few : portions);
    for (const Run* other : {&rival, &definition})
      equal = equal && std::equal(other->sums.begin(), other->sums.end(), mine.sums.begin());
    seconds.push_back(mine.seconds);
    gains.push_back(rival.seconds * (slow_rival ? few_of_all : 1) / mine.seconds);
  }
  return {1e3 * median(seconds), median(gains), definition.seconds * few_of_all / median(seconds)};
}

std::string introduction() {
  const char* commit = std::getenv("MACMI_COMMIT");
  return fmt::format(R"(# What every engine gains

Written by `engines_time` (`make bench`) at commit {}: CPU milliseconds of one thread, medians of {} repetitions,
preparations included, at the default options of `macmi test`. A test that finds nothing draws 128 permutations in two
portions of 64. One that finds a dependence draws 1,000: 64, 64 and the rest. Plain, and trees beside lanes, are timed on
{} permutations. Every engine gives the sums of the next best one and of the definition. Wanted: over 1,000 permutations
an engine is at least {} times as fast as the next best, in the (geometric) mean of its rows.

| engine | case | samples | 128 | 1,000 | next best | gain, 128 | gain, 1,000 | over plain |
|---|---|---|---|---|---|---|---|---|
)",
                     commit ? commit : "unknown", repetitions, few.front(), least_gain);
}

/// Geometric means of an engine's gains: tests of 128 permutations, and of 1,000.
class MeanGains {
 public:
  void add(double short_gain, double long_gain) {
    ++count_;
    short_ += std::log(short_gain);
    long_ += std::log(long_gain);
  }
  bool empty() const { return count_ == 0; }
  double of_short() const { return std::exp(short_ / count_); }
  double of_long() const { return std::exp(long_ / count_); }

 private:
  double count_ = 0, short_ = 0, long_ = 0;
};

std::string rows(const Case& c, MeanGains& gains, bool& good) {
  std::string text;
  for (const std::size_t n : {1000, 5000}) {
    const Work work = make_work(c, n, 1000);
    const Run definition(plain, work, few);
    bool equal = true;
    const Gain at_first = measure(c, work, definition, short_test, equal),
               in_all = measure(c, work, definition, long_test(n), equal);
    gains.add(at_first.over_rival, in_all.over_rival);
    good = good && equal;
    text += fmt::format("| {} | {} | {} | {:.0f} | {:.0f} | {} | {:.1f} | {:.2f} | {:.0f} |{}\n", c.engine, c.text, n,
                        at_first.milliseconds, in_all.milliseconds, c.rival, at_first.over_rival, in_all.over_rival,
                        in_all.over_plain, equal ? "" : " **sums differ**");
  }
  fmt::print("{}", text);
  std::fflush(stdout);
  return text;
}

/// `only`: the name of an engine; all others are left out.
int run(const char* path, const std::string& only) {
  std::string page = introduction(), means = "\n| engine | mean gain, 128 | mean gain, 1,000 |\n|---|---|---|\n";
  fmt::print("{}", page);
  bool good = true;
  for (auto c = cases.begin(); c != cases.end();) {
    const std::string engine = c->engine;
    MeanGains gains;
    for (; c != cases.end() && c->engine == engine; ++c)
      if (only.empty() || only == engine) page += rows(*c, gains, good);
    if (gains.empty()) continue;
    const bool missed = gains.of_long() < least_gain;
    good = good && !missed;
    means += fmt::format("| {} | {:.2f} | {:.2f}{} |\n", engine, gains.of_short(), gains.of_long(),
                         missed ? " (missed)" : "");
  }
  fmt::print("{}", means);
  if (path) std::ofstream(path) << page + means;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi

int main(int argc, char** argv) {
  return macmi::run(argc > 1 ? argv[1] : nullptr, argc > 2 ? argv[2] : "");
}
