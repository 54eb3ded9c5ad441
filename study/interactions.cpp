// Features that matter only together: are they found among 2,048, and does looking for them let false ones in?
//   study_interactions OUT_DIRECTORY [SEEDS [TABLES [FIRST_SEED]]]
// SEEDS tables of every kind are searched with --interactions pairs and none; TABLES (20) are looked at for pairs
// alone, which takes a second each. What is measured is kept in interactions.unfinished. Seeds below 100 were looked at
// while the code was written; the study begins at 100.
#include <fmt/format.h>

#include <cmath>
#include <cstdlib>
#include <ctime>
#include <fstream>
#include <functional>
#include <set>
#include <sstream>

#include "base/random.hpp"
#include "experiments/simulations/simulated_dataset.hpp"
#include "interactions/find_pairs.hpp"
#include "macmi/select.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

std::uint64_t first_seed = 100;  // another one while settings are chosen
constexpr std::size_t n = 1000, features = 2048;

using Row = std::vector<double>;

struct Kind {
  std::string name;
  bool uniform;  ///< features on [0, 1]; else standard normal
  bool classes;
  std::size_t causes;  ///< the first features
  double wanted_recall;
  std::function<double(const Row& x, double angle, base::RandomStream& random)> target;
};

bool ring(const Row& x, double width) {
  return std::abs(std::hypot(x[0] - 0.5, x[1] - 0.5) - 0.35) <= width;
}

/// XOR and ring + XOR as in the benchmark of Passemiers et al.; a XOR turned by an angle of 5 to 40 degrees, another in
/// each table; two without an interaction; and a product of two normal numbers.
const std::vector<Kind> kinds = {
    {"XOR", true, true, 2, 1.0,
     [](const Row& x, double, base::RandomStream&) { return (x[0] - 0.5) * (0.5 - x[1]) >= 0 ? 1.0 : 0.0; }},
    {"ring + XOR", true, true, 4, 0.95,
     [](const Row& x, double, base::RandomStream&) {
       return ring(x, 0.0704) || (x[2] - 0.5) * (0.5 - x[3]) >= 0.0337 ? 1.0 : 0.0;
     }},
    {"rotated XOR", false, true, 2, 0.9,
     [](const Row& x, double angle, base::RandomStream&) {
       const double c = std::cos(angle), s = std::sin(angle);
       return (c * x[0] + s * x[1]) * (c * x[1] - s * x[0]) >= 0 ? 1.0 : 0.0;
     }},
    {"noise alone", false, false, 0, 0, [](const Row&, double, base::RandomStream& random) { return random.normal(); }},
    {"a sum of four", false, false, 4, 0,
     [](const Row& x, double, base::RandomStream& random) {
       return 0.5 * (x[0] + x[1] - x[2] + std::tanh(2 * x[3])) + random.normal();
     }},
    {"product", false, false, 2, 0.9,
     [](const Row& x, double, base::RandomStream& random) { return x[0] * x[1] + 0.5 * random.normal(); }},
};

Dataset draw(const Kind& kind, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("interactions").with(kind.name));
  const double angle = (5 + 35 * random.uniform()) * M_PI / 180;
  experiments::SimulatedTable table;
  for (std::size_t f = 0; f < features; ++f) table.names.push_back(fmt::format("x{}", f));
  table.names.push_back("y");
  table.columns.resize(features + 1);
  table.labels.resize(features + 1);
  if (kind.classes) table.labels.back() = {"no", "yes"};
  Row row(features);
  for (std::size_t i = 0; i < n; ++i) {
    for (double& v : row) v = kind.uniform ? random.uniform() : random.normal();
    for (std::size_t f = 0; f < features; ++f) table.columns[f].push_back(row[f]);
    table.columns[features].push_back(kind.target(row, angle, random));
  }
  return experiments::as_dataset(std::move(table), 1);
}

bool is_cause(const Kind& kind, const std::string& name) {
  return std::strtoull(name.c_str() + 1, nullptr, 10) < kind.causes;
}

/// Of features named by a search, or by pairs.
struct Score {
  double causes = 0, others = 0, seconds = 0, tables = 0;
  double recall(const Kind& kind) const { return kind.causes ? causes / static_cast<double>(kind.causes) / tables : 1; }
};

std::string score_text(const Kind& kind, const std::function<std::set<std::string>()>& named) {
  const std::clock_t start = std::clock();
  const std::set<std::string> names = named();
  const double seconds = static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
  std::size_t causes = 0;
  for (const std::string& name : names) causes += is_cause(kind, name);
  return fmt::format("{} {} {}", causes, names.size() - causes, seconds);
}

std::set<std::string> named_by_pairs(const Kind& kind, std::uint64_t seed) {
  const Dataset data = draw(kind, seed);
  std::set<std::string> names;
  for (const FeaturePair& pair : interactions::find_pairs(interactions::quantise(data, seed), data.feature_names(), {}))
    names.insert({pair.a, pair.b});
  return names;
}

std::set<std::string> selected(const Kind& kind, std::uint64_t seed, Interactions interactions) {
  SelectOptions options;
  options.interactions = interactions;
  options.no_evidence = true;
  const std::vector<std::string> members = select_features(draw(kind, seed), options).blanket.members;
  return {members.begin(), members.end()};
}

const std::vector<std::string> ways = {"pairs alone", "search with pairs", "search without"};

Score measure(run::Ledger& kept, const Kind& kind, const std::string& way, std::uint64_t tables) {
  Score sum;
  for (std::uint64_t seed = first_seed; seed < first_seed + tables; ++seed) {
    std::istringstream in(kept.value(fmt::format("{}, {}, seed {}", kind.name, way, seed), [&] {
      return score_text(kind, [&] {
        if (way == ways[0]) return named_by_pairs(kind, seed);
        return selected(kind, seed, way == ways[1] ? Interactions::pairs : Interactions::none);
      });
    }));
    double causes = 0, others = 0, seconds = 0;
    in >> causes >> others >> seconds;
    sum.causes += causes, sum.others += others, sum.seconds += seconds, ++sum.tables;
  }
  return sum;
}

bool expect(bool holds, const std::string& what) {
  fmt::print("{}: {}\n", holds ? "holds" : "FAILS", what);
  return holds;
}

int run(const std::string& out, std::uint64_t seeds, std::uint64_t tables) {
  run::Ledger kept(out + "/interactions.unfinished");
  const char* commit = std::getenv("MACMI_COMMIT");
  std::string page = fmt::format(
      "# Features that matter only together\n\n"
      "{} features of noise but for the causes, n = {}. *pairs alone*: the features of the pairs that the scan names, "
      "in "
      "{} tables of each kind; the others: `macmi select --no-evidence --interactions pairs` and `none`, in {}. "
      "Recall: "
      "share of the causes. False: other features, per table. A rotated XOR has another angle, 5 to 40 degrees, in "
      "every "
      "table.\nWritten by `make study` (study/interactions.cpp){}, which also asserts the thresholds.\n\n"
      "| data | way | tables | recall | false | CPU s a table |\n|---|---|---|---|---|---|\n",
      features, n, tables, seeds, commit ? fmt::format(" at commit {}", commit) : "");
  bool good = true;
  for (const Kind& kind : kinds) {
    Score scores[3];
    for (std::size_t w = 0; w < ways.size(); ++w) {
      scores[w] = measure(kept, kind, ways[w], w == 0 ? tables : seeds);
      page += fmt::format("| {} | {} | {:.0f} | {} | {:.2f} | {:.1f} |\n", kind.name, ways[w], scores[w].tables,
                          kind.causes ? fmt::format("{:.2f}", scores[w].recall(kind)) : "-",
                          scores[w].others / scores[w].tables, scores[w].seconds / scores[w].tables);
    }
    std::ofstream(out + "/interactions.md") << page;
    fmt::print("{}\n", kind.name);
    const Score &with = scores[1], &without = scores[2];
    if (kind.wanted_recall > 0) {
      good &= expect(with.recall(kind) >= kind.wanted_recall,
                     fmt::format("recall at least {}: {:.2f}", kind.wanted_recall, with.recall(kind)));
      good &= expect(with.others <= with.tables, fmt::format("at most 1 false: {:.2f}", with.others / with.tables));
    } else {
      good &= expect(with.others <= without.others,
                     fmt::format("no more false members than without: {:.0f} and {:.0f}", with.others, without.others));
      good &= expect(with.recall(kind) >= without.recall(kind), "no cause is lost");
    }
    std::fflush(stdout);
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY [SEEDS [TABLES [FIRST_SEED]]]\n", argv[0]);
    return 2;
  }
  const auto number = [&](int i, std::uint64_t otherwise) {
    return argc > i ? std::strtoull(argv[i], nullptr, 10) : otherwise;
  };
  macmi::study::first_seed = number(4, 100);
  try {
    return macmi::study::run(argv[1], number(2, 10), number(3, 20));
  } catch (const std::exception& error) {
    fmt::print(stderr, "{}\n", error.what());
    return 1;
  }
}
