// How often tests find a dependence between two independent series whose values follow each other, and how often they
// find a true one. Beside each: the same test that takes rows for independent of each other.
//   study_time_order OUT_DIRECTORY [COMMIT [SETS [FIRST_SET]]]
// Settings were chosen on data sets from 100,000 on; the page is of data sets from 0 on.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <vector>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "binomial.hpp"
#include "experiments/simulations/variable_kinds.hpp"
#include "macmi/select.hpp"

namespace macmi::study {
namespace {

using experiments::VariableKind;

struct Cell {
  VariableKind x, y;
  std::size_t given, n;
  double memory;          ///< the coefficient of the autoregression, of all series
  double dependence = 0;  ///< correlation of the innovations of x and y
};

constexpr std::size_t sets_of_rows = 10;

std::vector<Cell> cells() {
  constexpr VariableKind number = VariableKind::number, two = VariableKind::two_classes,
                         four = VariableKind::four_classes;
  std::vector<Cell> all;
  for (const double memory : {0.0, 0.5, 0.9})
    for (const std::size_t given : {0, 1}) {
      for (const std::size_t n : {300, 1000}) all.push_back({number, number, given, n, memory});
      all.push_back({two, number, given, 1000, memory});
      all.push_back({four, four, given, 1000, memory});
    }
  for (const double memory : {0.5, 0.9})
    for (const std::size_t given : {0, 1})
      for (const std::size_t n : {300, 1000}) all.push_back({number, number, given, n, memory, 0.3});
  return all;
}

/// Deviation 1, in the stationary state from the beginning.
std::vector<double> series(const std::vector<double>& innovations, double memory) {
  std::vector<double> values;
  for (const double e : innovations)
    values.push_back(values.empty() ? e : memory * values.back() + std::sqrt(1 - memory * memory) * e);
  return values;
}

std::vector<double> noise(std::size_t n, base::RandomStream& random) {
  std::vector<double> values(n);
  for (double& v : values) v = random.normal();
  return values;
}

struct Counts {
  std::size_t rows = 0, time = 0, far_out = 0;
};

Counts measure(const Cell& cell, std::size_t number_of_cell, std::size_t first, std::size_t sets) {
  Counts counts;
  std::mutex mutex;
  base::parallel_for(sets, 1, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      base::RandomStream random(base::StreamKey(32).with(number_of_cell).with(first + r));
      const std::vector<double> ex = noise(cell.n, random), own = noise(cell.n, random);
      std::vector<double> ey(cell.n);
      for (std::size_t i = 0; i < cell.n; ++i)
        ey[i] = cell.dependence * ex[i] + std::sqrt(1 - cell.dependence * cell.dependence) * own[i];
      const std::vector<double> z = series(noise(cell.n, random), cell.memory);
      const std::vector<double> score = cell.given ? z : std::vector<double>();
      const auto x = experiments::simulate_variable(cell.x, score, series(ex, cell.memory), random);
      const auto y = experiments::simulate_variable(cell.y, score, series(ey, cell.memory), random);
      const Variable given = cell.given ? Variable(z) : Variable();
      TestOptions options = SelectOptions().test;
      options.threads = 1;
      options.seed = first + r;
      TestContext context;
      const bool compared = r < sets_of_rows;  // which takes a hundred times as long
      const double rows = compared ? resolved_p(ci_test(x.view("x"), y.view("y"), given, options, context)) : 1;
      context.one_series = true;
      const double time = resolved_p(ci_test(x.view("x"), y.view("y"), given, options, context));
      const std::lock_guard lock(mutex);
      counts.rows += rows <= 0.05, counts.time += time <= 0.05, counts.far_out += time <= 0.001;
    }
  });
  return counts;
}

int run(const std::string& out, const std::string& commit, std::size_t sets, std::size_t first) {
  const std::size_t compared = std::min(sets, sets_of_rows);
  std::string page = fmt::format(
      "# Rows in the order of time\n\nShare of {} data sets in which a test finds x and y dependent at level 0.05. x, "
      "y "
      "and z are autoregressions of first order with\nthis coefficient; z explains half of the variance of x and y. "
      "`rows` is the test that takes rows for independent of each other,\non {} of the data sets, `time` the one with "
      "`--time`; in brackets its share with p at most 0.001. Commit {}.\nWritten by `make study` "
      "(study/time_order.cpp), "
      "which asserts that no independence is rejected more often than in 0.07, as far\nas chance among so many cells "
      "allows.\n\n| innovations correlate by | coefficient | x, y | columns of z | n | rows | time |\n"
      "|---|---|---|---|---|---|---|\n",
      sets, compared, commit);
  const std::vector<Cell> all = cells();
  bool good = true;
  for (std::size_t c = 0; c < all.size(); ++c) {
    const Cell& cell = all[c];
    const Counts counts = measure(cell, c, first, sets);
    const auto share = [](std::size_t count, std::size_t of) {
      return static_cast<double>(count) / static_cast<double>(of);
    };
    const bool holds =
        cell.dependence > 0 || counts.time <= binomial_high(sets, 0.07, 0.05 / static_cast<double>(all.size()));
    good = good && holds;
    const std::string row =
        fmt::format("| {} | {} | {}, {} | {} | {} | {:.3f} | {:.3f} ({:.3f}) |", cell.dependence, cell.memory,
                    experiments::name_of(cell.x), experiments::name_of(cell.y), cell.given, cell.n,
                    share(counts.rows, compared), share(counts.time, sets), share(counts.far_out, sets));
    page += row + "\n";
    fmt::print("{}{}\n", row, holds ? "" : "  TOO OFTEN");
    std::fflush(stdout);
  }
  std::ofstream(out + "/time_order.md") << page;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY [COMMIT [SETS [FIRST_SET]]]\n", argv[0]);
    return 2;
  }
  const auto number = [&](int i, std::size_t otherwise) {
    return argc > i ? static_cast<std::size_t>(std::atoll(argv[i])) : otherwise;
  };
  return macmi::study::run(argv[1], argc > 2 ? argv[2] : "unknown", number(3, 200), number(4, 0));
}
