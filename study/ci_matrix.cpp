// Level and power of the conditional independence test for every kind of variable under every kind of z.
//   study_ci_matrix OUT_DIRECTORY [DATA_SETS] [KEPT]
// Finished data sets are kept, twenty of a cell at a time, in KEPT (default: OUT_DIRECTORY/ci_matrix.unfinished,
// removed at the end). More data sets continue where the kept ones end. MACMI_COMMIT names the commit on the page.
#include <cstdlib>
#include <fstream>
#include <map>
#include <sstream>

#include "binomial.hpp"
#include "ci_matrix_figure.hpp"
#include "ci_matrix_page.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

constexpr std::size_t at_once = 20;

/// Cells of 2000 samples take ten times as long as those of 300 and get data sets in every fourth round. Dependent ones
/// take twice as long as null ones, and power needs no such precision as level: every second round of these.
std::size_t rounds_between(const CiCell& cell, bool dependent) {
  return (cell.n < 1000 ? 1 : 4) * (dependent ? 2 : 1);
}

CiTally kept_tally(const std::string& text) {
  std::istringstream fields(text);
  CiTally tally;
  fields >> tally.sets >> tally.rejected >> tally.seconds;
  return tally;
}

/// Round by round, so that an interrupted study tells as much about each cell.
std::vector<CellResult> measure_all(std::size_t data_sets, run::Ledger& kept) {
  std::vector<CellResult> results;
  for (const CiCell& cell : all_cells()) results.push_back({cell, {}, {}});
  for (std::size_t round = 0; round * at_once < data_sets; ++round) {
    for (CellResult& result : results)
      for (const bool dependent : {false, true}) {
        const std::size_t between = rounds_between(result.cell, dependent);
        if (round % between != 0) continue;
        const std::size_t first = round / between * at_once;
        const std::string key =
            fmt::format("{} / {} / from {}", result.cell.name(), dependent ? "dependent" : "null", first);
        const std::string text = kept.value(key, [&] {
          const CiTally t = measure(result.cell, dependent ? result.cell.dependence() : 0, first, at_once);
          return fmt::format("{} {} {}", t.sets, t.rejected, t.seconds);
        });
        (dependent ? result.power : result.level).add(kept_tally(text));
      }
    fmt::print("{} of {} data sets\n", (round + 1) * at_once, data_sets);
    std::fflush(stdout);
  }
  return results;
}

}  // namespace

int run(const std::string& directory, std::size_t data_sets, const std::string& kept_in) {
  run::Ledger kept(kept_in.empty() ? directory + "/ci_matrix.unfinished" : kept_in);
  const std::vector<CellResult> results = measure_all(data_sets, kept);
  const Verdict verdict = judge_cells(results);
  const char* commit = std::getenv("MACMI_COMMIT");
  std::ofstream(directory + "/ci_matrix_level.svg") << level_figure(results);
  std::ofstream(directory + "/ci_matrix_power.svg") << power_figure(results);
  std::ofstream(directory + "/ci_matrix.md") << matrix_page(results, verdict, commit ? commit : "unknown");
  if (kept_in.empty()) kept.remove();
  fmt::print("{}\n", fmt::join(verdict.failures, "\n"));
  return verdict.failures.empty() ? 0 : 1;
}

}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) return 2;
  return macmi::study::run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 400, argc > 3 ? argv[3] : "");
}
