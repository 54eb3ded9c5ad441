// macmi simulate: synthetic data sets with a known truth, as CSV.
#include <fmt/format.h>
#include <fmt/os.h>

#include <cerrno>
#include <cstdio>
#include <cstring>
#include <filesystem>
#include <memory>

#include "base/number_of.hpp"
#include "experiments/simulations/bullseye.hpp"
#include "experiments/simulations/drive_fleet.hpp"
#include "experiments/simulations/network.hpp"
#include "experiments/simulations/ordinary_tables.hpp"
#include "experiments/simulations/parity.hpp"
#include "experiments/simulations/post_nonlinear.hpp"
#include "macmi/error.hpp"
#include "verb.hpp"

namespace macmi::cli {
namespace {

enum class Model { bullseye2d, bullseye3d, pnl, network, hdd, census, housing, parity };

struct Arguments {
  Model model = Model::bullseye2d;
  std::uint64_t n = 2000, p = 50, seed = 0, days = 90;
  experiments::NetworkFamily family = experiments::NetworkFamily::linear;
  double epsilon = 0.3;
  experiments::BullseyeGraph graph = experiments::BullseyeGraph::authors;
  std::string out;
  bool quiet = false;
};

std::string as_csv(const experiments::SimulatedTable& table) {
  std::string text = fmt::format("{}\n", fmt::join(table.names, ","));
  for (std::size_t i = 0; i < table.columns[0].size(); ++i) {
    for (std::size_t c = 0; c < table.columns.size(); ++c) {
      if (c) text += ',';
      if (c < table.labels.size() && !table.labels[c].empty())
        text += table.labels[c][static_cast<std::size_t>(table.columns[c][i])];
      else
        fmt::format_to(std::back_inserter(text), "{}", table.columns[c][i]);
    }
    text += '\n';
  }
  return text;
}

/// All or nothing: a file of this name is there only when it is complete.
void write_file(const std::string& path, const std::string& content) {
  const std::string partial = path + ".partial";
  std::FILE* file = std::fopen(partial.c_str(), "wb");
  const bool written = file != nullptr && std::fwrite(content.data(), 1, content.size(), file) == content.size();
  if (file == nullptr || std::fclose(file) != 0 || !written || std::rename(partial.c_str(), path.c_str()) != 0) {
    const std::string reason = std::strerror(errno);
    std::remove(partial.c_str());
    throw InputError(fmt::format("--out {}: cannot be written: {}", path, reason));
  }
}

experiments::SimulatedTable simulate(const Arguments& a) {
  switch (a.model) {
    case Model::bullseye2d:
      return experiments::bullseye2d(a.n, a.epsilon, a.seed);
    case Model::bullseye3d:
      return experiments::bullseye3d(a.n, a.epsilon, a.graph, a.seed);
    case Model::network:
      return experiments::simulate_network({.features = a.p, .samples = a.n, .family = a.family, .seed = a.seed}).table;
    case Model::census:
      return experiments::census(a.n, a.seed);
    case Model::housing:
      return experiments::housing(a.n, a.seed);
    case Model::parity:
      return experiments::parity_cube(a.p, a.n, a.epsilon, a.seed);
    case Model::pnl:
    case Model::hdd:
      break;
  }
  return experiments::post_nonlinear(a.n, a.epsilon, a.seed);
}

void run_fleet(const Arguments& a) {
  const experiments::DriveFleet fleet = experiments::simulate_fleet({.drives = a.n, .days = a.days, .seed = a.seed});
  experiments::write_fleet(fleet, a.out);
  if (!a.quiet)
    fmt::print(stderr,
               "{}: {} drives, {} series of {} days\ntruth: the causes of failure are {}; airflow_temperature_raw is "
               "the same as temperature_raw\n",
               a.out, a.n, fleet.names.size(), a.days, fmt::join(fleet.causes, ", "));
}

void run(const Arguments& a) {
  if (a.model == Model::hdd) return run_fleet(a);
  const experiments::SimulatedTable table = simulate(a);
  write_file(a.out, as_csv(table));
  if (!a.quiet)
    fmt::print(stderr, "{}: {} of {}\ntruth: {}\n", a.out, base::number_of(a.n, "sample"),
               base::number_of(table.names.size(), "column"), table.truth);
}

}  // namespace

Verb simulate_verb() {
  auto a = std::make_shared<Arguments>();
  return {.name = "simulate",
          .summary = "Write a synthetic data set of the paper, a random network or an everyday table, with its truth",
          .details =
              "bullseye2d: a point in the plane and a noisy reading of its distance from the centre.\n"
              "bullseye3d: six points in space and a target, linked through their distances from the centre.\n"
              "pnl: eight numbers and a target, linked by functions that go up and down.\n"
              "network: a random network of --p numbers, counts or classes and a target y, linked as --family says.\n"
              "hdd: a fleet of drives, 36 daily series each, a quarter failing of seven trends; one row per drive and "
              "day.\n"
              "census: six numbers, eight columns of 2 to 42 labels and a target of two classes, in the shape of UCI's "
              "Adult.\n"
              "housing: nine numbers in the shape of California housing, the target being value.\n"
              "parity: --p numbers, of which five are the coordinates of a point near a vertex of a cube whose parity "
              "is the class, 15 follow from these, and the others are noise.",
          .positional = {{.name = "model",
                          .field = choice_of(a->model, {"bullseye2d", "bullseye3d", "pnl", "network", "hdd", "census",
                                                        "housing", "parity"}),
                          .meaning = "Which data set",
                          .required = true}},
          .options = {{.name = "n", .field = &a->n, .meaning = "Samples; drives", .low = 1, .high = 1e8},
                      {.name = "p", .field = &a->p, .meaning = "network, parity: features", .low = 2, .high = 100000},
                      {.name = "family",
                       .field = choice_of(a->family, experiments::network_family_names),
                       .meaning = "network: how a variable follows from its parents"},
                      {.name = "days", .field = &a->days, .meaning = "hdd: days per drive", .low = 4, .high = 3650},
                      {.name = "epsilon",
                       .field = &a->epsilon,
                       .meaning = "Noise: half-width of the uniform (bullseye), standard deviation (pnl, parity)",
                       .low = 1e-9,
                       .high = 0.5},
                      {.name = "dag",
                       .field = choice_of(a->graph, {"authors", "caption"}),
                       .meaning = "bullseye3d: the graph of the authors' published code, or of the paper's caption"},
                      {.name = "seed", .field = &a->seed, .meaning = "The same seed gives the same data"},
                      {.name = "out",
                       .field = &a->out,
                       .meaning = "CSV file to write; hdd: also .parquet",
                       .value_name = "FILE",
                       .required = true},
                      {.name = "quiet", .field = &a->quiet, .meaning = "Do not print the truth"}},
          .examples = {"macmi simulate bullseye2d --n 2000 --epsilon 0.3 --out rings.csv",
                       "macmi simulate bullseye3d --n 6000 --dag caption --seed 1 --out spheres.csv",
                       "macmi simulate network --p 200 --n 1000 --family additive --out net.csv",
                       "macmi simulate hdd --n 200 --out fleet.parquet && macmi inspect --data fleet.parquet --id "
                       "serial_number --time date --target failure"},
          .run = [a] { run(*a); }};
}

}  // namespace macmi::cli
