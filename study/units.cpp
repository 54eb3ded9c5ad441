// How often tests find a dependence between x and y where rows belong to units and both vary between units, each by
// itself; and how often they find a true one. Beside each: the same test that knows no units.
//   study_units OUT_DIRECTORY [COMMIT [SETS [FIRST_SET [CELL]]]]
// Settings were chosen on data sets from 100,000 on; the page is of data sets from 0 on.
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <mutex>
#include <vector>

#include "base/parallel.hpp"
#include "base/random.hpp"
#include "binomial.hpp"
#include "ci_cells.hpp"
#include "experiments/simulations/variable_kinds.hpp"
#include "macmi/select.hpp"

namespace macmi::study {
namespace {

using experiments::VariableKind;

enum class Truth { independent, within, between };

struct Cell {
  const char* name;
  VariableKind x, y;
  std::size_t given;  ///< columns of z
  Truth truth = Truth::independent;
  std::size_t units = 50, least = 20, most = 20;
  bool constant_x = false, constant_z = false, curved = false;
};

constexpr VariableKind number = VariableKind::number, two = VariableKind::two_classes,
                       four = VariableKind::four_classes;

std::vector<Cell> cells() {
  std::vector<Cell> all;
  const std::array<std::pair<VariableKind, VariableKind>, 4> kinds = {
      {{number, number}, {two, number}, {two, two}, {four, four}}};
  for (const std::size_t given : {0, 1})
    for (const auto& [x, y] : kinds) all.push_back({"", x, y, given});
  all.push_back({"x constant within units", number, number, 0, Truth::independent, 50, 20, 20, true});
  all.push_back({"x constant within units", two, number, 1, Truth::independent, 50, 20, 20, true});
  all.push_back({"z constant within units", number, number, 1, Truth::independent, 50, 20, 20, false, true});
  all.push_back({"curves of z", number, number, 1, Truth::independent, 50, 20, 20, false, false, true});
  all.push_back({"four columns of z", number, number, 4});
  all.push_back({"5 to 40 rows a unit", number, number, 0, Truth::independent, 50, 5, 40});
  all.push_back({"5 to 40 rows a unit", two, two, 1, Truth::independent, 50, 5, 40});
  all.push_back({"5 units of 200 rows", number, number, 1, Truth::independent, 5, 200, 200});
  for (const Truth truth : {Truth::within, Truth::between})
    for (const std::size_t given : {0, 1})
      for (const auto& [x, y] : {kinds[0], kinds[2], kinds[3]}) all.push_back({"", x, y, given, truth});
  return all;
}

struct Sample {
  experiments::VariableSamples x, y;
  std::vector<std::vector<double>> z;
  std::vector<std::int32_t> units;
};

/// Half of the variance of x, y and z is between units. A column of z acts on both, within and between alike.
Sample simulate(const Cell& cell, base::RandomStream& random) {
  Sample s;
  for (std::size_t u = 0; u < cell.units; ++u)
    s.units.insert(s.units.end(), cell.least + random.below(cell.most - cell.least + 1), static_cast<std::int32_t>(u));
  const std::size_t n = s.units.size();
  const auto effects = [&] {
    std::vector<double> of_unit(cell.units);
    for (double& e : of_unit) e = random.normal();
    return of_unit;
  };
  const double half = std::sqrt(0.5);
  std::vector<double> score_x(n), score_y(n);
  for (std::size_t c = 0; c < cell.given; ++c) {
    const std::vector<double> of_unit = effects();
    std::vector<double>& column = s.z.emplace_back();
    for (std::size_t i = 0; i < n; ++i) {
      const double own = random.normal();
      column.push_back(cell.constant_z ? of_unit[s.units[i]] : half * (of_unit[s.units[i]] + own));
      const double z = column.back() / std::sqrt(static_cast<double>(cell.given));
      score_x[i] += cell.curved ? std::sin(2 * z) : z;
      score_y[i] += cell.curved ? z * z - 1 : z;
    }
  }
  const std::vector<double> unit_x = effects(), unit_y = effects();
  const double within = cell.truth == Truth::within ? 0.25 : 0, between = cell.truth == Truth::between ? 0.75 : 0;
  std::vector<double> noise_x(n), noise_y(n);
  for (std::size_t i = 0; i < n; ++i) {
    const double own_x = random.normal(), own_y = within * own_x + std::sqrt(1 - within * within) * random.normal();
    const double a = unit_x[s.units[i]], b = between * a + std::sqrt(1 - between * between) * unit_y[s.units[i]];
    noise_x[i] = cell.constant_x ? a : half * (a + own_x);
    noise_y[i] = half * (b + own_y);
    if (cell.constant_x && cell.given > 0) score_x[i] = 0;
  }
  s.x = experiments::simulate_variable(cell.x, cell.given > 0 && !cell.constant_x ? score_x : std::vector<double>(),
                                       noise_x, random);
  s.y = experiments::simulate_variable(cell.y, cell.given > 0 ? score_y : std::vector<double>(), noise_y, random);
  return s;
}

constexpr std::size_t sets_of_rows = 10;

struct Counts {
  std::size_t today = 0, units = 0, far_out = 0;
  double milliseconds = 0;  ///< of a test that knows units
};

Counts measure(const Cell& cell, std::size_t number_of_cell, std::size_t first, std::size_t sets) {
  Counts counts;
  std::mutex mutex;
  base::parallel_for(sets, 1, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      base::RandomStream random(base::StreamKey(31).with(number_of_cell).with(first + r));
      const Sample s = simulate(cell, random);
      Variable z;
      for (const std::vector<double>& column : s.z) z.add(NumericColumn{column.data(), 1, ""}, column.size());
      TestOptions options = SelectOptions().test;
      options.threads = 1;
      options.seed = first + r;
      TestContext context;
      const bool compared = r < sets_of_rows;  // which takes a hundred times as long
      const double today = compared ? resolved_p(ci_test(s.x.view("x"), s.y.view("y"), z, options, context)) : 1;
      context.units = s.units;
      const double start = thread_seconds();
      const double units = resolved_p(ci_test(s.x.view("x"), s.y.view("y"), z, options, context));
      const std::lock_guard lock(mutex);
      counts.milliseconds += 1000 * (thread_seconds() - start) / static_cast<double>(sets);
      counts.today += today <= 0.05, counts.units += units <= 0.05, counts.far_out += units <= 0.001;
    }
  });
  return counts;
}

int run(const std::string& out, const std::string& commit, std::size_t sets, std::size_t first, std::size_t only) {
  std::string page = fmt::format(
      "# Rows that belong to units\n\nShare of {} data sets in which a test finds x and y dependent at level 0.05. 50 "
      "units of 20 rows unless said otherwise; half of the\nvariance of x, y and z is between units, by effects that "
      "are "
      "independent of each other. `rows` is the test that takes\nrows for independent of each other, on {} of the "
      "data sets, `units` the one with `--unit`; in brackets its share with p at\nmost 0.001. Within units the noises "
      "correlate by 0.25, or the effects of units by 0.75. Commit {}.\nWritten by `make study` (study/units.cpp), "
      "which asserts that no "
      "independence is rejected more often than in 0.07, as far as\nchance among so many cells allows.\n\n| truth | x, "
      "y | "
      "columns of z | | rows | units |\n|---|---|---|---|---|---|\n",
      sets, std::min(sets, sets_of_rows), commit);
  constexpr std::array truths = {"independent", "dependent within units", "dependent between units"};
  const std::vector<Cell> all = cells();
  bool good = true;
  for (std::size_t c = 0; c < all.size(); ++c) {
    if (only < all.size() && c != only) continue;
    const Cell& cell = all[c];
    const Counts counts = measure(cell, c, first, sets);
    const auto share = [&](std::size_t count) { return static_cast<double>(count) / static_cast<double>(sets); };
    const bool holds = cell.truth != Truth::independent ||
                       counts.units <= binomial_high(sets, 0.07, 0.05 / static_cast<double>(all.size()));
    good = good && holds;
    const std::string kinds = fmt::format("{}, {}", experiments::name_of(cell.x), experiments::name_of(cell.y));
    const std::string row = fmt::format(
        "| {} | {} | {} | {} | {:.3f} | {:.3f} ({:.3f}) |", truths[static_cast<std::size_t>(cell.truth)], kinds,
        cell.given, cell.name, static_cast<double>(counts.today) / static_cast<double>(std::min(sets, sets_of_rows)),
        share(counts.units), share(counts.far_out));
    page += row + "\n";
    fmt::print("{}{} {:.0f} ms\n", row, holds ? "" : "  TOO OFTEN", counts.milliseconds);
    std::fflush(stdout);
  }
  if (only >= all.size()) std::ofstream(out + "/units.md") << page;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY [COMMIT [SETS [FIRST_SET [CELL]]]]\n", argv[0]);
    return 2;
  }
  const auto number = [&](int i, std::size_t otherwise) {
    return argc > i ? static_cast<std::size_t>(std::atoll(argv[i])) : otherwise;
  };
  return macmi::study::run(argv[1], argc > 2 ? argv[2] : "unknown", number(3, 200), number(4, 0), number(5, 1000));
}
