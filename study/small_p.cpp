// Are small p-values as rare as they say? Shares of resolved_p at or below 0.05 … 1e-4 on null data of many kinds, and
// what few permutations say beside what 20,000 say where x and y depend on each other.
//   study_small_p OUT_DIRECTORY [COMMIT [TESTS]]
// Measurements are kept in OUT_DIRECTORY/small_p.unfinished until all are there. The fit's constants
// (src/citest/null/fitted_tail.cpp, null_distribution.cpp) were chosen on other random numbers.
#include <array>
#include <fstream>
#include <sstream>

#include "ci_cells.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

using experiments::GivenKind;

constexpr std::array levels = {0.05, 0.01, 1e-3, 1e-4};
using Kind = experiments::VariableKind;
constexpr std::array<std::pair<Kind, Kind>, 7> pairs = {{{Kind::number, Kind::number},
                                                         {Kind::heavy_tailed, Kind::number},
                                                         {Kind::count, Kind::number},
                                                         {Kind::number, Kind::two_classes},
                                                         {Kind::two_classes, Kind::two_classes},
                                                         {Kind::four_classes, Kind::number},
                                                         {Kind::sixteen_classes, Kind::number}}};
constexpr std::array givens = {GivenKind::nothing, GivenKind::number, GivenKind::three_numbers,
                               GivenKind::four_classes};

TestOptions options_of(std::size_t set) {
  TestOptions options;
  options.stop = StopRule::fast;
  options.permutations = 192;
  options.smallest_level = 1e-4;
  options.threads = 1;
  options.seed = set;
  return options;
}

CiResult test_once(Kind x, Kind y, GivenKind z, std::size_t n, double dependence, const TestOptions& options,
                   std::size_t set) {
  base::RandomStream random(base::StreamKey(4711)
                                .with(experiments::name_of(x))
                                .with(experiments::name_of(y))
                                .with(experiments::name_of(z))
                                .with(n)
                                .with(set));
  const experiments::SimulatedTriple s = experiments::simulate_triple(x, y, z, n, dependence, random);
  return ci_test(s.x.view("x"), s.y.view("y"), s.z.view("z"), options);
}

struct Tally {
  std::size_t tests = 0;
  std::array<std::size_t, levels.size()> small{};
  double permutations = 0;
  void add(const Tally& other) {
    tests += other.tests;
    permutations += other.permutations;
    for (std::size_t l = 0; l < levels.size(); ++l) small[l] += other.small[l];
  }
  double share(std::size_t l) const { return static_cast<double>(small[l]) / static_cast<double>(tests); }
};

Tally measure(Kind x, Kind y, GivenKind z, std::size_t n, std::size_t tests) {
  Tally tally;
  std::mutex mutex;
  base::parallel_for(tests, 8, 0, [&](std::size_t begin, std::size_t end) {
    Tally part;
    for (std::size_t i = begin; i < end; ++i) {
      const CiResult r = test_once(x, y, z, n, 0, options_of(i), i);
      ++part.tests;
      part.permutations += static_cast<double>(r.permutations);
      for (std::size_t l = 0; l < levels.size(); ++l) part.small[l] += resolved_p(r) <= levels[l];
    }
    const std::lock_guard lock(mutex);
    tally.add(part);
  });
  return tally;
}

Tally kept_tally(run::Ledger& kept, Kind x, Kind y, GivenKind z, std::size_t n, std::size_t tests) {
  const std::string key = fmt::format("{} {} {} {} {}", experiments::name_of(x), experiments::name_of(y),
                                      experiments::name_of(z), n, tests);
  std::istringstream text(kept.value(key, [&] {
    const Tally t = measure(x, y, z, n, tests);
    return fmt::format("{} {} {} {} {} {}", t.tests, t.permutations, t.small[0], t.small[1], t.small[2], t.small[3]);
  }));
  Tally t;
  text >> t.tests >> t.permutations;
  for (std::size_t& s : t.small) text >> s;
  return t;
}

/// At most this many of `tests` may be as small as `level`: twice as many as should, and three deviations.
bool within(const Tally& t, std::size_t l) {
  const double expected = 2 * levels[l] * static_cast<double>(t.tests);
  return static_cast<double>(t.small[l]) <= expected + 3 * std::sqrt(expected) + 1;
}

std::string row(const std::string& what, const Tally& t, bool& good) {
  std::string text = fmt::format("| {} | {} | {:.0f} |", what, t.tests, t.permutations / static_cast<double>(t.tests));
  for (std::size_t l = 0; l < levels.size(); ++l) {
    text += fmt::format(" {:.5f}{} |", t.share(l), within(t, l) ? "" : " (!)");
    good = good && within(t, l);
  }
  fmt::print("{}\n", text);
  std::fflush(stdout);
  return text + "\n";
}

/// log10 of the p-value of few permutations minus that of 20,000, where these count 20 to 2,000 exceedances.
struct Deviation {
  std::size_t tests = 0;
  double sum = 0, squares = 0;
};

std::string deviations(run::Ledger& kept, std::size_t draws) {
  constexpr std::size_t sets = 150;
  return kept.value(fmt::format("deviation {}", draws), [&] {
    Deviation total;
    std::mutex mutex;
    base::parallel_for(sets, 1, 0, [&](std::size_t begin, std::size_t end) {
      for (std::size_t i = begin; i < end; ++i) {
        TestOptions whole = options_of(i), few = options_of(i);
        whole.stop = few.stop = StopRule::never;
        whole.permutations = 20000;
        few.permutations = draws;
        const double dependence = 0.2 + 0.2 * static_cast<double>(i % 5) / 4;
        const CiResult exact = test_once(Kind::number, Kind::number, GivenKind::number, 100, dependence, whole, i);
        if (exact.exceedances < 20 || exact.exceedances > 2000) continue;
        few.seed += 1000;  // other permutations
        const CiResult quick = test_once(Kind::number, Kind::number, GivenKind::number, 100, dependence, few, i);
        const double d = std::log10(quick.tail_p / exact.p_value);
        const std::lock_guard lock(mutex);
        ++total.tests, total.sum += d, total.squares += d * d;
      }
    });
    const auto n = static_cast<double>(total.tests);
    return fmt::format("| {} | {} | {:+.2f} | {:.2f} |", draws, total.tests, total.sum / n,
                       std::sqrt(total.squares / n - total.sum * total.sum / n / n));
  });
}

int run(const std::string& out, const std::string& commit, std::size_t tests) {
  run::Ledger kept(out + "/small_p.unfinished");
  std::string page = fmt::format(
      "# Small p-values\n\nShare of true independences whose `resolved_p` is at most as small as the head of the "
      "column "
      "says: 64 to 192\npermutations, `--stop fast`, smallest level 1e-4, {} data sets of n = 100 and as many of n = "
      "200 a "
      "row (fewer than 10\nsuch small values are expected in the last column of a row: look at the sums). Every share "
      "must be within twice its\nhead and three deviations of chance. Commit {}. Written by `make study` "
      "(study/small_p.cpp).\n\n| x and y | given | tests | permutations |",
      tests, commit);
  for (const double level : levels) page += fmt::format(" {} |", level);
  page += "\n|---|---|---|---|---|---|---|---|\n";
  bool good = true;
  Tally all;
  for (const GivenKind z : givens)
    for (const auto& [x, y] : pairs) {
      Tally t;
      for (const std::size_t n : {100, 200}) t.add(kept_tally(kept, x, y, z, n, tests));
      all.add(t);
      page += row(fmt::format("{}, {} | {}", experiments::name_of(x), experiments::name_of(y), experiments::name_of(z)),
                  t, good);
    }
  page += row("all | ", all, good);
  page +=
      "\nFew permutations beside 20,000 others, numbers given a number, n = 100, moderate dependence: mean and "
      "deviation "
      "of\nlog10 of the fitted p-value over the counted one, where 20 to 2,000 of the 20,000 reach the observed "
      "statistic.\n\n| permutations | tests | mean | deviation |\n|---|---|---|---|\n";
  for (const std::size_t draws : {64, 192}) page += deviations(kept, draws) + "\n";
  std::ofstream(out + "/small_p.md") << page;
  if (good) kept.remove();
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2 || argc > 4) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY [COMMIT [TESTS]]\n", argv[0]);
    return 2;
  }
  return macmi::study::run(argv[1], argc > 2 ? argv[2] : "unknown", argc > 3 ? std::stoul(argv[3]) : 2000);
}
