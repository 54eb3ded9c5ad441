// How well `macmi select` recovers the blanket of one target in random networks of 20 to 1,000 features, by family, and
// what the selected set is worth for prediction beside others.
//   study_wide_networks OUT_DIRECTORY [SEEDS [P… [searches]]]    searches: ours alone, without what sets are worth
// What is measured is kept in wide_networks.unfinished: an interrupted study goes on, and sizes and further seeds may
// be measured by several calls, one at a time. Networks with seeds below 100 were looked at while the search was
// written; the study begins at 100.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <optional>

#include "network_scores.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

constexpr std::uint64_t first_seed = 100;
constexpr std::size_t sample_sizes[] = {1000, 300};

struct Cell {
  std::size_t p, n, family;
};
std::string key_of(const Cell& cell, const Recipe& recipe, std::uint64_t seed) {
  return fmt::format("{}, p = {}, n = {}, {}, seed {}", experiments::network_family_names[cell.family], cell.p, cell.n,
                     recipe.title, seed);
}

/// The mean over the seeds that are kept, and how many there are.
std::pair<Score, std::size_t> mean(const run::Ledger& kept, const Cell& cell, const Recipe& recipe,
                                   std::uint64_t seeds) {
  Score sum;
  std::size_t count = 0;
  for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
    const std::optional<std::string> found = kept.find(key_of(cell, recipe, seed));
    if (!found) continue;
    const Score s = score_of(*found);
    for (double Score::*part : Score::parts) sum.*part += s.*part;
    ++count;
  }
  for (double Score::*part : Score::parts) sum.*part /= static_cast<double>(std::max<std::size_t>(1, count));
  return {sum, count};
}

/// Mean worths of a cell's networks, and the share of them in which the selected set beats all features.
struct MeanWorth {
  SetWorth mean;
  double beats_all = 0, count = 0;
};
MeanWorth mean_worth(run::Ledger& kept, const Cell& cell, std::uint64_t seeds) {
  MeanWorth sum;
  for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed) {
    const std::optional<std::string> found = kept.find(key_of(cell, recipes.front(), seed));
    const std::optional<SetWorth> worth = found ? worth_in(*found) : std::nullopt;
    if (!worth) continue;
    for (double SetWorth::*part : SetWorth::parts) sum.mean.*part += *worth.*part;
    sum.beats_all += worth->selected > worth->all;
    ++sum.count;
  }
  for (double SetWorth::*part : SetWorth::parts) sum.mean.*part /= std::max(1.0, sum.count);
  return sum;
}

std::string worth_table(const std::vector<Cell>& cells, run::Ledger& kept, std::uint64_t seeds) {
  std::string table = fmt::format(
      "\n## What the set is worth\n\nNats per sample by which {} samples that the search did not see are predicted "
      "better "
      "than by a constant (our boosted trees\non polynomials, learned from the searched samples): from the features "
      "that "
      "`k-NN, fixpoint` selects, from all, from the true\nblanket, and from as many as selected with the largest "
      "effect "
      "alone and with the largest importance in 100 boosted\ntrees. Networks whose target has three or four classes "
      "are "
      "left out.\n\n"
      "| family | p | n | selected | all | true blanket | by effect alone | by importance | selected beats all | "
      "networks "
      "|\n|---|---|---|---|---|---|---|---|---|---|\n",
      held_out);
  for (const Cell& cell : cells)
    if (const MeanWorth w = mean_worth(kept, cell, seeds); w.count > 0)
      table += fmt::format("| {} | {} | {} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.3f} | {:.0f} | {:.0f} |\n",
                           experiments::network_family_names[cell.family], cell.p, cell.n, w.mean.selected, w.mean.all,
                           w.mean.truth, w.mean.information, w.mean.importance, w.beats_all, w.count);
  return table;
}

std::string markdown(const std::vector<Cell>& cells, run::Ledger& kept, std::uint64_t seeds) {
  const char* commit = std::getenv("MACMI_COMMIT");
  std::string page = fmt::format(
      "# Random networks of known truth\n\n"
      "One target in each of up to {} networks per cell (`macmi simulate network`, seeds from {}; the first n of n + "
      "{} "
      "rows), default options but for\n"
      "`--method` and `--no-evidence`. Means over networks; CPU seconds of the machine at hand. *Measurable* is the "
      "share of the\ntrue members that the test finds in these samples given the true others, at the level that so "
      "many features ask for: members\nbeyond it tell too little for the test. *Of these* is the recall among them.\n"
      "Written by `make study` (study/wide_networks.cpp){}, which also asserts the thresholds.\n\n"
      "| family | p | n | search | precision | recall | F1 | measurable | of these | tests | CPU s | networks |\n"
      "|---|---|---|---|---|---|---|---|---|---|---|---|\n",
      seeds, first_seed, held_out, commit ? fmt::format(" at commit {}", commit) : "");
  for (const Cell& cell : cells)
    for (const Recipe& recipe : recipes)
      if (const auto [s, count] = mean(kept, cell, recipe, seeds); count)
        page +=
            fmt::format("| {} | {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.2f} | {:.0f} | {:.1f} | {} |\n",
                        experiments::network_family_names[cell.family], cell.p, cell.n, recipe.title, s.precision,
                        s.recall, s.f1, s.measurable, s.recall_of_measurable, s.tests, s.cpu_seconds, count);
  return page + worth_table(cells, kept, seeds);
}

bool expect(bool holds, const std::string& what) {
  fmt::print("{}: {}\n", holds ? "holds" : "FAILS", what);
  return holds;
}

/// The thresholds this study stands for, on the cells that were measured with all seeds.
bool check(const std::vector<Cell>& cells, run::Ledger& kept, std::uint64_t seeds) {
  bool good = true;
  double nonlinear = 0, families = 0, better = 0, tasks = 0;
  for (const Cell& cell : cells) {
    const auto [s, count] = mean(kept, cell, recipes.front(), seeds);
    if (count < seeds) continue;
    const std::string where =
        fmt::format("{}, p = {}, n = {}", experiments::network_family_names[cell.family], cell.p, cell.n);
    good &= expect(s.precision >= 0.9, fmt::format("{}: false members at most 0.10: {:.3f}", where, 1 - s.precision));
    if (cell.p == 1000) {
      const MeanWorth worth = mean_worth(kept, cell, seeds);
      better += worth.beats_all, tasks += worth.count;
    }
    if (cell.p != 1000 || cell.n != 1000) continue;
    good &= expect(s.cpu_seconds <= 360, fmt::format("{}: 3 minutes on 2 cores: {:.0f} CPU s", where, s.cpu_seconds));
    if (cell.family == 0)
      good &= expect(s.f1 >= 0.85, fmt::format("{}: F1 at least 0.85: {:.3f}", where, s.f1));
    else
      nonlinear += s.f1, families += 1;
  }
  if (families > 0)
    good &= expect(nonlinear / families >= 0.7,
                   fmt::format("p = n = 1000, families but linear: F1 at least 0.70: {:.3f}", nonlinear / families));
  if (tasks > 0)
    good &= expect(2 * better > tasks, fmt::format("p = 1000: the selected set predicts better than all features in "
                                                   "most of {:.0f} networks: {:.0f}",
                                                   tasks, better));
  return good;
}

/// Where only the search was measured before, what its set is worth is measured with it once more.
void keep_measured(run::Ledger& kept, const Cell& cell, const Recipe& recipe, std::uint64_t seed, bool with_worth) {
  const std::string key = key_of(cell, recipe, seed);
  const std::optional<std::string> found = kept.find(key);
  if (found && (!with_worth || worth_in(*found) || found->ends_with(" no worth"))) return;
  const experiments::NetworkOptions network{.features = cell.p,
                                            .samples = cell.n,
                                            .family = static_cast<experiments::NetworkFamily>(cell.family),
                                            .seed = seed};
  const Measured measured = measure(network, recipe, with_worth);
  kept.store(key, text_of(measured) + (with_worth && !measured.worth ? " no worth" : ""));
}

int run(const std::string& out, std::uint64_t seeds, const std::vector<std::size_t>& sizes, bool with_worth) {
  run::Ledger kept(out + "/wide_networks.unfinished");
  std::vector<Cell> cells;
  for (const std::size_t p : sizes)
    for (const std::size_t n : sample_sizes)
      for (std::size_t family = 0; family < experiments::network_family_names.size(); ++family)
        cells.push_back({p, n, family});
  const std::size_t families = experiments::network_family_names.size();
  for (std::size_t first = 0; first < cells.size(); first += families)
    for (std::size_t next = 0; next < families * seeds; ++next) {
      const Cell& cell = cells[first + next % families];
      const std::uint64_t seed = first_seed + next / families;
      for (const Recipe& recipe : recipes)
        if (with_worth || &recipe == &recipes.front()) keep_measured(kept, cell, recipe, seed, with_worth);
      const Score s = mean(kept, cell, recipes.front(), seeds).first;
      fmt::print(
          "to seed {} {:<14} p {:>4} n {:>4} precision {:.2f} recall {:.2f} F1 {:.2f} measurable {:.2f} {:.1f} s\n",
          seed, experiments::network_family_names[cell.family], cell.p, cell.n, s.precision, s.recall, s.f1,
          s.measurable, s.cpu_seconds);
      std::fflush(stdout);
      std::ofstream(out + "/wide_networks.md") << markdown(cells, kept, seeds);
    }
  return check(cells, kept, seeds) ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY [SEEDS [P… [searches]]]\n", argv[0]);
    return 2;
  }
  std::vector<std::size_t> sizes;
  const bool with_worth = std::string(argv[argc - 1]) != "searches";
  for (int i = 3; i < argc - !with_worth; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {20, 50, 200, 1000};
  try {
    return macmi::study::run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10, sizes, with_worth);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
