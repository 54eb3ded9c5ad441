// Simulated fleets: F1 of the selected attributes against the causes, stage times and memory.
//   study_hdd_fleet OUT_DIRECTORY [SEEDS] [DRIVES]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <filesystem>
#include <fstream>
#include <sstream>

#include "experiments/hdd_reproduction.hpp"
#include "experiments/simulations/drive_fleet.hpp"
#include "hdd_data.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

/// The measurements of one fleet, as text that is kept: F1, seconds by the clock, peak memory, then the row's other
/// cells.
std::string measure(const std::string& directory, std::uint64_t seed, std::uint64_t drives) {
  std::filesystem::remove_all(directory);  // times are of whole runs
  const double before = cpu_seconds();
  experiments::HddOptions options;
  options.drives = drives;
  options.no_evaluation = true;
  options.seed = seed;
  const experiments::HddReproduction r = experiments::reproduce_hdd(directory, options);
  return fmt::format("{} {} {} {} | {:.0f} | {:.0f} | {:.0f} | {:.0f} |", r.f1,
                     r.seconds.data + r.seconds.maps + r.seconds.search, peak_megabytes(),
                     fmt::join(r.selection.blanket.members, ", "), r.seconds.data, r.seconds.maps, r.seconds.search,
                     cpu_seconds() - before);
}

int run(const std::string& directory, std::uint64_t seeds, std::uint64_t drives) {
  run::Ledger kept(directory + "/hdd_fleet.unfinished");
  std::string table = fmt::format(
      "# Causes found in simulated fleets\n\nWritten by `study_hdd_fleet`: {} drives × 36 series × 90 days, {} seeds; "
      "seconds by the clock, on as many cores as there are.\n\n| seed | F1 | selected | data s | maps s | search s | "
      "CPU s | peak MB |\n|---|---|---|---|---|---|---|---|\n",
      drives, seeds);
  double sum = 0;
  bool good = true;
  for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
    std::istringstream measured(kept.value(fmt::format("{} drives, seed {}", drives, seed),
                                           [&] { return measure(directory + "/hdd_fleet.unfinished", seed, drives); }));
    double f1 = 0, seconds = 0, megabytes = 0;
    std::string cells;
    measured >> f1 >> seconds >> megabytes;
    std::getline(measured, cells);
    sum += f1;
    good = good && seconds < 1800 && megabytes < 4096;
    const std::string line = fmt::format("| {} | {:.2f} |{} {:.0f} |\n", seed, f1, cells, megabytes);
    fmt::print("{}", line);
    std::fflush(stdout);
    table += line;
  }
  good = good && sum / static_cast<double>(seeds) >= 0.85;
  table += fmt::format("\nMean F1 {:.2f}.\n", sum / static_cast<double>(seeds));
  fmt::print("{}\n", good ? "as wanted" : "NOT as wanted");
  std::ofstream(directory + "/hdd_fleet.md") << table;
  kept.remove();
  std::error_code none;
  std::filesystem::remove_all(directory + "/hdd_fleet.unfinished", none);
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  using macmi::study::argument;
  return macmi::study::run(argc > 1 ? argv[1] : ".", argument(argc, argv, 2, 5), argument(argc, argv, 3, 10000));
}
