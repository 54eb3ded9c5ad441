// How the time of a selection grows with drives and with attributes: CPU seconds and the exponents of power laws.
//   study_hdd_growth OUT_DIRECTORY [MOST DRIVES] [MOST ATTRIBUTES]
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <sstream>

#include "experiments/simulations/drive_fleet.hpp"
#include "hdd_data.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

struct Point {
  double size = 0, maps = 0, search = 0;
};

/// CPU seconds of the maps and of the search.
std::string measure(std::size_t drives, std::size_t features) {
  const Dataset data =
      experiments::fleet_dataset(experiments::simulate_fleet({.drives = drives, .features = features, .seed = 1}));
  const SelectOptions options = drive_options(0);
  const double start = cpu_seconds();
  const LearnedMaps maps = learn_maps(data, resolved(options).maps);
  const double learned = cpu_seconds();
  select_features(data, maps, options);
  return fmt::format("{} {}", learned - start, cpu_seconds() - learned);
}

Point point(run::Ledger& kept, std::size_t drives, std::size_t features, double size) {
  Point p{.size = size};
  std::istringstream(kept.value(fmt::format("{} drives, {} attributes", drives, features),
                                [&] { return measure(drives, features); })) >>
      p.maps >> p.search;
  fmt::print("{} drives, {} attributes: maps {:.0f} s, search {:.0f} s\n", drives, features, p.maps, p.search);
  std::fflush(stdout);
  return p;
}

/// Slope of log time over log size, least squares.
double exponent(const std::vector<Point>& points) {
  double mx = 0, my = 0, xx = 0, xy = 0;
  const double n = static_cast<double>(points.size());
  for (const Point& p : points) mx += std::log(p.size) / n, my += std::log(p.maps + p.search) / n;
  for (const Point& p : points) {
    const double dx = std::log(p.size) - mx;
    xx += dx * dx;
    xy += dx * (std::log(p.maps + p.search) - my);
  }
  return xy / xx;
}

int run(const std::string& directory, std::uint64_t most_drives, std::uint64_t most_features) {
  run::Ledger kept(directory + "/hdd_growth.unfinished");
  std::vector<Point> by_drives, by_features;
  for (const std::size_t drives : {1000, 2000, 5000, 10000, 20000, 50000})
    if (drives <= most_drives) by_drives.push_back(point(kept, drives, 12, static_cast<double>(drives)));
  for (const std::size_t features : {5, 9, 18, 36, 72})
    if (features <= most_features) by_features.push_back(point(kept, 1000, features, static_cast<double>(features)));
  std::string table =
      "# Growth of a selection's time\n\nWritten by `study_hdd_growth`: simulated fleets, 90 days, CPU seconds.\n\n| "
      "drives (12 attributes) | maps | search |\n|---|---|---|\n";
  for (const Point& p : by_drives) table += fmt::format("| {} | {:.0f} | {:.0f} |\n", p.size, p.maps, p.search);
  table += "\n| attributes (1,000 drives) | maps | search |\n|---|---|---|\n";
  for (const Point& p : by_features) table += fmt::format("| {} | {:.0f} | {:.0f} |\n", p.size, p.maps, p.search);
  const std::string said =
      fmt::format("Time grows as drives^{:.2f} and attributes^{:.2f}.\n", exponent(by_drives), exponent(by_features));
  fmt::print("{}", said);
  std::ofstream(directory + "/hdd_growth.md") << table + "\n" + said;
  kept.remove();
  return exponent(by_drives) < 2.2 ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  using macmi::study::argument;
  return macmi::study::run(argc > 1 ? argv[1] : ".", argument(argc, argv, 2, 50000), argument(argc, argv, 3, 72));
}
