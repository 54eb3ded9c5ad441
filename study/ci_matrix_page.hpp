#pragma once
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "binomial.hpp"
#include "ci_cells.hpp"
#include "ci_matrix_figure.hpp"

namespace macmi::study {

using experiments::name_of;

struct CellResult {
  CiCell cell;
  CiTally level, power;
};

/// A cell is at an edge where a test of level 0.05 would be with a probability of 0.005 to either side, and far out
/// where it would be with one of 5e-6.
constexpr double wanted = 0.05, edge = 0.005, far_out = 5e-6;

inline bool is_high(const CiTally& t, double tail) {
  return t.rejected > binomial_high(t.sets, wanted, tail);
}
inline bool is_low(const CiTally& t, double tail) {
  return t.rejected < binomial_low(t.sets, wanted, tail);
}
inline bool at_an_edge(const CiTally& t) {
  return is_high(t, edge) || is_low(t, edge);
}
/// A test without power rejects as many with a probability of 0.005.
inline bool has_power(const CiTally& t) {
  return is_high(t, edge);
}

struct Verdict {
  std::size_t at_edges = 0, allowed_at_edges = 0;
  std::vector<std::string> failures;
};

inline Verdict judge_cells(const std::vector<CellResult>& results) {
  Verdict v;
  v.allowed_at_edges = binomial_high(results.size(), 2 * edge, 0.001);
  for (const CellResult& r : results) {
    v.at_edges += at_an_edge(r.level);
    if (is_high(r.level, far_out) || is_low(r.level, far_out))
      v.failures.push_back(
          fmt::format("{}: level {:.3f} over {} data sets", r.cell.name(), r.level.rate(), r.level.sets));
    if (!has_power(r.power))
      v.failures.push_back(
          fmt::format("{}: no power, {:.3f} over {} data sets", r.cell.name(), r.power.rate(), r.power.sets));
  }
  if (v.at_edges > v.allowed_at_edges)
    v.failures.push_back(fmt::format("{} of {} cells are at the edges, where chance allows {}", v.at_edges,
                                     results.size(), v.allowed_at_edges));
  return v;
}

/// Results of the cells without folds, each as `shade` says.
template <class ShadeOfResult>
std::string figure_of(const std::string& title, const std::vector<CellResult>& results, ShadeOfResult shade) {
  return matrix_figure(
      title,
      [&](experiments::VariableKind x, experiments::VariableKind y, experiments::GivenKind z, std::size_t n) -> Shade {
        for (const CellResult& r : results)
          if (r.cell.x == x && r.cell.y == y && r.cell.z == z && r.cell.n == n && r.cell.plain()) return shade(r);
        return {};
      });
}

inline std::string level_figure(const std::vector<CellResult>& results) {
  return figure_of(
      "Rejected of true independences at 5%, in percent (! at an edge): n = 300 above and on the diagonal, n = 2000 "
      "below",
      results, [](const CellResult& r) -> Shade {
        return {fmt::format("{:.1f}{}", 100 * r.level.rate(), at_an_edge(r.level) ? "!" : ""),
                level_colour(r.level.rate())};
      });
}

inline std::string power_figure(const std::vector<CellResult>& results) {
  return figure_of("Rejected of dependences, in percent: n = 300 above and on the diagonal, n = 2000 below", results,
                   [](const CellResult& r) -> Shade {
                     return {fmt::format("{:.0f}{}", 100 * r.power.rate(), has_power(r.power) ? "" : "!"),
                             power_colour(r.power.rate())};
                   });
}

inline std::string row(const CellResult& r) {
  return fmt::format("| {} | {} | {} | {} | {} | {:.3f} | {:.3f} | {:.3f} |\n", name_of(r.cell.x), name_of(r.cell.y),
                     name_of(r.cell.z), r.cell.n, r.level.sets, r.level.rate(), r.power.rate(),
                     r.level.seconds_a_set());
}

inline std::string table_of(const std::vector<CellResult>& results,
                            const std::function<bool(const CellResult&)>& chosen) {
  std::string table =
      "| x | y | given | n | data sets | level | power | s a test |\n|---|---|---|---|---|---|---|---|\n";
  for (const CellResult& r : results)
    if (chosen(r)) table += row(r);
  return table;
}

/// Processor time of a test by the kind of z, the mean over the cells, and the slowest cell.
inline std::string times_of(const std::vector<CellResult>& results) {
  std::string table = "| given | n | s a test, mean | slowest | of |\n|---|---|---|---|---|\n";
  for (const std::size_t n : {std::size_t{300}, std::size_t{2000}})
    for (const experiments::GivenKind z : experiments::all_given_kinds) {
      double sum = 0, slowest = 0;
      std::size_t cells = 0;
      std::string name;
      for (const CellResult& r : results) {
        if (r.cell.z != z || r.cell.n != n || !r.cell.plain()) continue;
        const double seconds = r.level.seconds_a_set();
        sum += seconds;
        ++cells;
        if (seconds > slowest) slowest = seconds, name = fmt::format("{} and {}", name_of(r.cell.x), name_of(r.cell.y));
      }
      table += fmt::format("| {} | {} | {:.3f} | {:.3f} | {} |\n", name_of(z), n, sum / static_cast<double>(cells),
                           slowest, name);
    }
  return table;
}

/// The bounds of a level of 0.05 over so many data sets, as text.
inline std::string bounds_text(std::size_t sets) {
  const auto share = [=](std::size_t count) { return static_cast<double>(count) / static_cast<double>(sets); };
  return fmt::format("{:.3f} to {:.3f} of {} data sets", share(binomial_low(sets, wanted, edge)),
                     share(binomial_high(sets, wanted, edge)), sets);
}

inline std::string introduction(const std::vector<CellResult>& results, const Verdict& verdict,
                                const std::string& commit) {
  const CellResult &small = results.front(), &large = results.back();
  std::string text =
      fmt::format("# The test for every kind of variable\n\nWritten by `study_ci_matrix` at commit {}. ", commit);
  text += fmt::format(
      "Each of {} cells is a kind of x, a kind of y, a kind of z and a number of samples. Level is the share rejected "
      "at "
      "0.05 of data sets in which x and y are independent given z: {} data sets at n = 300, {} at n = 2000. ",
      results.size(), small.level.sets, large.level.sets);
  text += fmt::format(
      "Power is the share rejected where their noises have a correlation of {} at n = 300 and {} at n = 2000, in {} "
      "and {} "
      "data sets. ",
      small.cell.dependence(), large.cell.dependence(), small.power.sets, large.power.sets);
  text +=
      "z explains half of the variance of what x and y are made of. Default options, 199 permutations. "
      "`src/experiments/simulations/variable_kinds.cpp` has the kinds.\n\n";
  text += fmt::format(
      "A test of level 0.05 rejects {}, and {}, but for a probability of 0.01 a cell. Cells beyond are at an edge: {} "
      "of {} "
      "are, and chance allows {}.\n\n",
      bounds_text(small.level.sets), bounds_text(large.level.sets), verdict.at_edges, results.size(),
      verdict.allowed_at_edges);
  return text + "![level](ci_matrix_level.svg)\n\n![power](ci_matrix_power.svg)\n\n";
}

inline std::string matrix_page(const std::vector<CellResult>& results, const Verdict& verdict,
                               const std::string& commit) {
  double seconds = 0;
  for (const CellResult& r : results) seconds += r.level.seconds + r.power.seconds;
  std::string page = introduction(results, verdict, commit);
  page += "## Cells at an edge\n\n" + table_of(results, [](const CellResult& r) { return at_an_edge(r.level); });
  page += "\n## With folds\n\nTwo folds; x has a sign and a scale of its own in each, as learned maps have.\n\n" +
          table_of(results, [](const CellResult& r) { return r.cell.folds; });
  page +=
      "\n## With fewer centres than samples\n\n400 centres: neighbours among all 2,000 samples. 100: among 800.\n\n" +
      table_of(results, [](const CellResult& r) { return r.cell.centres == 400; }) + "\n" +
      table_of(results, [](const CellResult& r) { return r.cell.centres == 100; });
  page += "\n## Tables of categories\n\n" + table_of(results, [](const CellResult& r) { return r.cell.table(); });
  page += fmt::format("\n## What was asked and not found\n\n{}\n", verdict.failures.empty() ? "Nothing." : "");
  for (const std::string& failure : verdict.failures) page += "- " + failure + "\n";
  page +=
      fmt::format("\n## Time\n\nProcessor time of one test of a null data set. All data sets took {:.1f} hours.\n\n",
                  seconds / 3600);
  return page + times_of(results);
}

}  // namespace macmi::study
