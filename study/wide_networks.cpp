// How well `macmi select` recovers the blanket of one target in random networks of 20 to 1,000 features, by family, and
// what the selected set is worth for prediction beside others.
//   study_wide_networks OUT_DIRECTORY [SEEDS [P…]]
// What is measured is kept in wide_networks.unfinished: an interrupted study goes on, and sizes may be measured by
// several calls. Networks with seeds below 100 were looked at while the search was written; the study begins at 100.
#include <fmt/format.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <numeric>
#include <optional>
#include <sstream>

#include "experiments/simulations/network.hpp"
#include "experiments/simulations/simulated_dataset.hpp"
#include "macmi/select.hpp"
#include "run/ledger.hpp"
#include "set_worth.hpp"

namespace macmi::study {
namespace {

constexpr std::uint64_t first_seed = 100;
constexpr std::size_t sample_sizes[] = {300, 1000};
constexpr std::size_t held_out = 1000;

struct Recipe {
  std::string title;
  Method method;
  SearchProcedure search;
};
const std::vector<Recipe> recipes = {{"k-NN, fixpoint", Method::knn, SearchProcedure::fixpoint},
                                     {"Fisher z, fixpoint", Method::fisherz, SearchProcedure::fixpoint},
                                     {"Fisher z, paper", Method::fisherz, SearchProcedure::paper}};

struct Score {
  double precision = 0, recall = 0, f1 = 0, tests = 0, cpu_seconds = 0;
};

/// A network's samples: those that are searched, and as many more for prediction.
struct Sampled {
  std::vector<std::string> truth;
  Dataset all, searched;
  std::size_t n;
};

Sampled sampled(experiments::NetworkOptions options) {
  const std::size_t n = options.samples;
  options.samples += held_out;
  experiments::SimulatedNetwork network = experiments::simulate_network(options);
  Dataset all = experiments::as_dataset(std::move(network.table), 1);
  std::vector<std::size_t> first(n);
  std::iota(first.begin(), first.end(), std::size_t{0});
  Dataset searched = take_samples(all, first);
  return {std::move(network.blanket), std::move(all), std::move(searched), n};
}

/// What a search found, and what the set is worth where it is the recipe's that this study is about.
struct Measured {
  Score score;
  std::optional<SetWorth> worth;
};

Measured measure(const experiments::NetworkOptions& options, const Recipe& recipe) {
  const Sampled network = sampled(options);
  SelectOptions select;
  select.method = recipe.method;
  select.search.search = recipe.search;
  const std::clock_t start = std::clock();
  const Selection selection = select_features(network.searched, select);
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  const std::vector<std::string>& members = selection.blanket.members;
  double hits = 0;
  for (const std::string& member : members)
    hits += std::binary_search(network.truth.begin(), network.truth.end(), member);
  const double found = static_cast<double>(members.size()), all = static_cast<double>(network.truth.size());
  Measured measured{{found > 0 ? hits / found : 1, hits / all, 2 * hits / (found + all),
                     static_cast<double>(selection.blanket.tests), seconds},
                    {}};
  if (&recipe == &recipes.front() && predictable(network.all))
    measured.worth = worth_of(selection, network.truth, network.all, network.n);
  return measured;
}

std::string text_of(const Measured& m) {
  const Score& s = m.score;
  return fmt::format("{} {} {} {} {}{}", s.precision, s.recall, s.f1, s.tests, s.cpu_seconds,
                     m.worth ? " worth " + m.worth->text() : "");
}
Score score_of(const std::string& text) {
  Score s;
  std::istringstream(text) >> s.precision >> s.recall >> s.f1 >> s.tests >> s.cpu_seconds;
  return s;
}

std::optional<SetWorth> worth_in(const std::string& text) {
  const std::size_t at = text.find(" worth ");
  if (at == std::string::npos) return std::nullopt;
  return SetWorth::read(text.substr(at + 7));
}

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
    sum.precision += s.precision, sum.recall += s.recall, sum.f1 += s.f1, sum.tests += s.tests;
    sum.cpu_seconds += s.cpu_seconds;
    ++count;
  }
  const double c = static_cast<double>(std::max<std::size_t>(1, count));
  return {{sum.precision / c, sum.recall / c, sum.f1 / c, sum.tests / c, sum.cpu_seconds / c}, count};
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
      "One target in each of {} networks per cell (`macmi simulate network`, seeds from {}; the first n of n + {} "
      "rows), default options but for\n"
      "`--method` and `--search`. Means over networks; CPU seconds of the machine at hand.\n"
      "Written by `make study` (study/wide_networks.cpp){}, which also asserts the thresholds.\n\n"
      "| family | p | n | search | precision | recall | F1 | tests | CPU s | networks |\n"
      "|---|---|---|---|---|---|---|---|---|---|\n",
      seeds, first_seed, held_out, commit ? fmt::format(" at commit {}", commit) : "");
  for (const Cell& cell : cells)
    for (const Recipe& recipe : recipes)
      if (const auto [s, count] = mean(kept, cell, recipe, seeds); count)
        page += fmt::format("| {} | {} | {} | {} | {:.2f} | {:.2f} | {:.2f} | {:.0f} | {:.1f} | {} |\n",
                            experiments::network_family_names[cell.family], cell.p, cell.n, recipe.title, s.precision,
                            s.recall, s.f1, s.tests, s.cpu_seconds, count);
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

int run(const std::string& out, std::uint64_t seeds, const std::vector<std::size_t>& sizes) {
  run::Ledger kept(out + "/wide_networks.unfinished");
  std::vector<Cell> cells;
  for (const std::size_t p : sizes)
    for (const std::size_t n : sample_sizes)
      for (std::size_t family = 0; family < experiments::network_family_names.size(); ++family)
        cells.push_back({p, n, family});
  for (const Cell& cell : cells)
    for (const Recipe& recipe : recipes) {
      for (std::uint64_t seed = first_seed; seed < first_seed + seeds; ++seed)
        kept.value(key_of(cell, recipe, seed), [&] {
          return text_of(measure({.features = cell.p,
                                  .samples = cell.n,
                                  .family = static_cast<experiments::NetworkFamily>(cell.family),
                                  .seed = seed},
                                 recipe));
        });
      const Score s = mean(kept, cell, recipe, seeds).first;
      fmt::print("{:<14} p {:>4} n {:>4} {:<20} precision {:.2f} recall {:.2f} F1 {:.2f} tests {:.0f} {:.1f} CPU s\n",
                 experiments::network_family_names[cell.family], cell.p, cell.n, recipe.title, s.precision, s.recall,
                 s.f1, s.tests, s.cpu_seconds);
      std::fflush(stdout);
      std::ofstream(out + "/wide_networks.md") << markdown(cells, kept, seeds);
    }
  return check(cells, kept, seeds) ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY [SEEDS [P…]]\n", argv[0]);
    return 2;
  }
  std::vector<std::size_t> sizes;
  for (int i = 3; i < argc; ++i) sizes.push_back(std::strtoull(argv[i], nullptr, 10));
  if (sizes.empty()) sizes = {20, 50, 200, 1000};
  try {
    return macmi::study::run(argv[1], argc > 2 ? std::strtoull(argv[2], nullptr, 10) : 10, sizes);
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
