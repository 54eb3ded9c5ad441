// All pairs of 2,000 columns of 1,000 samples: one scan by bit sets beside the definition (on a part of the pairs), and
// the whole search for pairs with its scans under permuted targets. CPU seconds; medians of several runs for the scan.
//   pairs_time [RUNS]
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <functional>

#include "base/random.hpp"
#include "interactions/find_pairs.hpp"
#include "interactions/pair_scan.hpp"

namespace macmi::interactions {
namespace {

double cpu_seconds(const std::function<void()>& work) {
  const std::clock_t start = std::clock();
  work();
  return static_cast<double>(std::clock() - start) / CLOCKS_PER_SEC;
}

QuantisedSamples noise(std::size_t n, std::size_t columns, std::size_t classes) {
  base::RandomStream random(base::StreamKey(n).with(columns).with(classes));
  QuantisedSamples samples;
  for (std::size_t c = 0; c < columns; ++c) {
    Levels& levels = samples.columns.emplace_back();
    for (std::size_t i = 0; i < n; ++i) levels.push_back(static_cast<std::uint8_t>(random.below(4)));
    samples.feature.push_back(c);
  }
  for (std::size_t i = 0; i < n; ++i)
    samples.target.push_back(static_cast<std::uint8_t>(random.below(classes) * 4 / classes));
  return samples;
}

void measure(std::size_t n, std::size_t columns, std::size_t classes, int runs) {
  const QuantisedSamples samples = noise(n, columns, classes);
  QuantisedSamples few = samples;
  few.columns.resize(columns / 10);
  const LogTable table(n);
  PairCuts cuts;
  cuts.halves = table.from_nats(20);
  for (auto& row : cuts.quarters)
    for (std::int32_t& cut : row) cut = table.from_nats(60);
  std::vector<double> times;
  for (int r = 0; r < runs; ++r)
    times.push_back(cpu_seconds([&] { scan_pairs(samples, samples.target, table, cuts, 1); }));
  std::sort(times.begin(), times.end());
  const double pairs = static_cast<double>(pair_count(samples)), fast = times[times.size() / 2];
  const double plain =
      cpu_seconds([&] { plain_scan(few, few.target, table, cuts); }) * pairs / static_cast<double>(pair_count(few));
  std::vector<std::string> names;
  for (std::size_t c = 0; c < columns; ++c) names.push_back(fmt::format("x{}", c));
  const double whole = cpu_seconds([&] { find_pairs(samples, names, {.threads = 1}); });
  fmt::print("| {} | {} | {} | {:.2f} | {:.1f} | {:.1f} | {:.2f} |\n", columns, n, classes, fast, plain, plain / fast,
             whole);
}

}  // namespace
}  // namespace macmi::interactions

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 5;
  fmt::print(
      "| columns | n | classes | one scan, s | by the definition, s | ratio | whole search, s |\n"
      "|---|---|---|---|---|---|---|\n");
  macmi::interactions::measure(1000, 2000, 2, runs);
  macmi::interactions::measure(1000, 2000, 4, runs);
  macmi::interactions::measure(1000, 50, 4, runs);
  macmi::interactions::measure(20000, 300, 2, runs);
  return 0;
}
