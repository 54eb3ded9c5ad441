// Mutual information of the 2-D bullseye on learned maps, regularised and nominal, and on the samples as they are.
//   study_maps_bullseye2d OUT_DIRECTORY [SEEDS]
#include <fstream>

#include "experiments/simulations/bullseye.hpp"
#include "macmi/estimate.hpp"
#include "macmi/maps.hpp"
#include "maps_data.hpp"

namespace macmi::study {
namespace {

constexpr std::size_t n = 2000;

struct Row {
  double mean = 0, least = 1e9;
  void add(double value, double weight) { mean += weight * value, least = std::min(least, value); }
};

double information(const Dataset& data) {
  EstimateOptions options;
  options.k = NeighbourCount(5);
  options.transform = Transform::block;
  return mutual_information(view(data.features[0]), view(data.target), options);
}

double learned(const Dataset& data, double lambda, std::uint64_t seed) {
  MapsOptions options;
  options.lambda = lambda;
  options.folds = 1;
  options.map_dim = 2;
  options.seed = seed;
  return information(learn_maps(data, options).mapped());
}

int run(const std::string& directory, std::size_t seeds) {
  std::string table = fmt::format(
      "# Mutual information of the 2-D bullseye\n\nWritten by `study_maps_bullseye2d`{}: n = {}, {} seeds, maps of 2 "
      "numbers learned and "
      "measured on the same samples by the default recipe, k = 5, nats (mean, smallest).\n\n"
      "| ε | truth | regularised (λ = 0.1) | nominal (λ = 0) | samples as they are |\n|---|---|---|---|---|\n",
      measured_at(), n, seeds);
  bool good = true;
  const double before = cpu_seconds();
  for (const double epsilon : {0.1, 0.2, 0.3, 0.4, 0.5}) {
    Row regularised, nominal, raw;
    for (std::uint64_t seed = 1; seed <= seeds; ++seed) {
      experiments::SimulatedTable made = experiments::bullseye2d(n, epsilon, seed);
      const Dataset data = grouped(made.names, made.columns, 2);
      const double weight = 1.0 / static_cast<double>(seeds);
      regularised.add(learned(data, 0.1, seed), weight);
      nominal.add(learned(data, 0, seed), weight);
      raw.add(information(data), weight);
    }
    good = good && raw.mean < nominal.mean && raw.mean < regularised.mean;
    if (epsilon == 0.3)
      good = good && regularised.mean >= 1.44 && regularised.least >= 1.40 && nominal.mean < regularised.mean;
    const std::string line = fmt::format("| {} | {:.3f} | {:.3f} ({:.3f}) | {:.3f} ({:.3f}) | {:.3f} ({:.3f}) |\n",
                                         epsilon, experiments::bullseye2d_information(epsilon), regularised.mean,
                                         regularised.least, nominal.mean, nominal.least, raw.mean, raw.least);
    fmt::print("{}", line);
    std::fflush(stdout);
    table += line;
  }
  table +=
      fmt::format("\n{:.1f} CPU seconds per training.\n", (cpu_seconds() - before) / static_cast<double>(10 * seeds));
  fmt::print("{:.1f} CPU seconds per training\n{}\n", (cpu_seconds() - before) / static_cast<double>(10 * seeds),
             good ? "as wanted" : "NOT as wanted");
  std::ofstream(directory + "/maps_bullseye2d.md") << table;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  return macmi::study::run(argc > 1 ? argv[1] : ".", argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10);
}
