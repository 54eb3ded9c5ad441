// What the look at all samples (Pillai's trace, pooled over strata between categories) adds to neighbourhoods and to
// the information of tables: level and power with it and without it, on the same data sets.
//   study_ci_wide_look OUT_DIRECTORY [DATA_SETS]
// MACMI_COMMIT names the commit on the page.
#include <cmath>
#include <cstdlib>
#include <fstream>
#include <numeric>

#include "ci_cells.hpp"

namespace macmi::study {
namespace {

using experiments::GivenKind;

struct Rates {
  double level = 0, level_without = 0, power = 0, power_without = 0;
};

CiTally rejections(std::size_t sets, const std::function<double(std::size_t set)>& p_value) {
  std::vector<std::uint8_t> rejected(sets);
  base::parallel_for(sets, 1, 0, [&](std::size_t begin, std::size_t end) {
    for (std::size_t set = begin; set < end; ++set) rejected[set] = p_value(set) <= 0.05;
  });
  return {sets, std::accumulate(rejected.begin(), rejected.end(), std::size_t{0}), 0};
}

TestOptions options_of(std::size_t set, bool wide) {
  TestOptions options;
  options.permutations = 199;
  options.threads = 1;
  options.seed = set;
  options.no_correlation = !wide;
  return options;
}

/// Tables: x and y follow z in 3 of 10 samples; y copies x in a share of the others, moved by z where `turning`, so
/// that no two strata depend in the same way.
struct TableCell {
  std::size_t n;
  std::uint64_t x, y, z;
  double copied;
  bool turning;
  std::string name() const {
    return fmt::format("table {} x {} given {} / n = {}{}", x, y, z, n, turning ? " / each stratum its own way" : "");
  }
};

double table_p(const TableCell& cell, bool dependent, bool wide, std::size_t set) {
  base::RandomStream random(base::StreamKey(2026).with(cell.name()).with(dependent ? 1 : 0).with(set));
  std::vector<std::int32_t> x, y, z;
  for (std::size_t i = 0; i < cell.n; ++i) {
    const std::uint64_t given = random.below(cell.z);
    const auto label = [&](std::uint64_t levels) {
      const std::uint64_t any = random.below(levels);
      return static_cast<std::int32_t>(random.uniform() < 0.3 ? given % levels : any);
    };
    z.push_back(static_cast<std::int32_t>(given));
    x.push_back(label(cell.x));
    y.push_back(label(cell.y));
    if (dependent && random.uniform() < cell.copied)
      y.back() =
          static_cast<std::int32_t>((static_cast<std::uint64_t>(x.back()) + (cell.turning ? given : 0)) % cell.y);
  }
  const Variable given = cell.z > 1 ? Variable::categories(z, "z") : Variable();
  return ci_test(Variable::categories(x, "x"), Variable::categories(y, "y"), given, options_of(set, wide)).p_value;
}

double cell_p(const CiCell& cell, bool dependent, bool wide, std::size_t set) {
  base::RandomStream random(base::StreamKey(2027).with(cell.name()).with(dependent ? 1 : 0).with(set));
  const experiments::SimulatedTriple s =
      experiments::simulate_triple(cell.x, cell.y, cell.z, cell.n, dependent ? cell.dependence() / 2 : 0, random);
  return ci_test(s.x.view("x"), s.y.view("y"), s.z.view("z"), options_of(set, wide)).p_value;
}

template <class Cell, class P>
Rates rates(const Cell& cell, std::size_t sets, P p_value) {
  const auto rate = [&](bool dependent, bool wide) {
    return rejections(sets, [&](std::size_t set) { return p_value(cell, dependent, wide, set); }).rate();
  };
  return {rate(false, true), rate(false, false), rate(true, true), rate(true, false)};
}

double highest_level(std::size_t sets) {
  return 0.05 + 4 * std::sqrt(0.05 * 0.95 / static_cast<double>(sets));
}

int run(const std::string& directory, std::size_t sets) {
  const char* commit = std::getenv("MACMI_COMMIT");
  std::ofstream page(directory + "/ci_wide_look.md");
  page << fmt::format(
      "# What the look at all samples adds\n\nWritten by `study_ci_wide_look` at commit {}. Share of data sets "
      "rejected "
      "at 0.05, with the look at all samples and without it (`--no-correlation`), on the same data sets, 199 "
      "permutations. Tables: x and y follow z in 3 of 10 samples; where they depend, y copies x in some of the others, "
      "or, *each stratum its own way*, a label that z moves. The other cells are those of ci_matrix.md at half the "
      "dependence. Wanted: levels within four standard errors of 0.05 (at most {:.3f} of {} data sets).\n\n"
      "| cell | data sets | level | level without | power | power without |\n|---|---|---|---|---|---|\n",
      commit ? commit : "unknown", highest_level(sets), sets);
  bool failed = false;
  const auto write = [&](const std::string& name, std::size_t count, const Rates& r) {
    const std::string line = fmt::format("| {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} |", name, count, r.level,
                                         r.level_without, r.power, r.power_without);
    page << line << '\n';
    fmt::print("{}\n", line);
    std::fflush(stdout);
    failed = failed || r.level > highest_level(count);
  };
  for (const TableCell& cell : {TableCell{300, 2, 2, 1, 0.13, false}, TableCell{2000, 2, 2, 1, 0.05, false},
                                TableCell{300, 3, 3, 9, 0.15, false}, TableCell{2000, 3, 3, 9, 0.05, false},
                                TableCell{300, 3, 3, 9, 0.25, true}, TableCell{2000, 3, 3, 9, 0.08, true},
                                TableCell{300, 16, 16, 1, 0.12, false}, TableCell{300, 16, 16, 16, 0.12, false},
                                TableCell{2000, 16, 16, 16, 0.05, false}, TableCell{2000, 16, 16, 16, 0.12, true},
                                TableCell{300, 4, 4, 300, 0.3, false}, TableCell{2000, 4, 4, 300, 0.06, false},
                                TableCell{2000, 4, 4, 300, 0.25, true}})
    write(cell.name(), 2 * sets, rates(cell, 2 * sets, table_p));
  using enum VariableKind;
  for (const auto& [x, y] : {std::pair(four_classes, four_classes), std::pair(block, block),
                             std::pair(mixed_block, number), std::pair(sixteen_classes, number)})
    for (const GivenKind z : {GivenKind::nothing, GivenKind::number, GivenKind::three_numbers, GivenKind::four_classes})
      if (const CiCell cell{x, y, z, 300};
          x != four_classes || (z != GivenKind::nothing && z != GivenKind::four_classes))
        write(cell.name(), sets, rates(cell, sets, cell_p));
  return failed ? 1 : 0;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return macmi::study::run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 200);
}
