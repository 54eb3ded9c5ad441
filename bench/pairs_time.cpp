// All pairs of 2,000 columns of 1,000 samples: one scan by bit sets beside the definition (on a part of the pairs), and
// the whole search for pairs with its scans under permuted targets. CPU seconds; medians of several runs for the scan.
//   pairs_time [PAGE.md]
// Fails where the search among 2,000 columns takes more than 20 CPU seconds, or the scan is not 10 times as fast as the
// definition there.
#include <fmt/format.h>

#include <algorithm>
#include <cstdlib>
#include <ctime>
#include <fstream>
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

struct Times {
  double scan, plain, search;
};

Times measure(std::size_t n, std::size_t columns, std::size_t classes) {
  constexpr int runs = 3;
  const QuantisedSamples samples = noise(n, columns, classes);
  QuantisedSamples few = samples;
  few.columns.resize(columns / 10), few.feature.resize(columns / 10);
  const LogTable table(n);
  PairCuts cuts;
  cuts.halves = table.from_nats(20);
  for (auto& row : cuts.quarters)
    for (std::int32_t& cut : row) cut = table.from_nats(60);
  std::vector<double> times;
  for (int r = 0; r < runs; ++r)
    times.push_back(cpu_seconds([&] { scan_pairs(samples, samples.target, table, cuts, 1); }));
  std::sort(times.begin(), times.end());
  const double share = static_cast<double>(pair_count(samples)) / static_cast<double>(pair_count(few));
  const double plain = share * cpu_seconds([&] { plain_scan(few, few.target, table, cuts); });
  std::vector<std::string> names;
  for (std::size_t c = 0; c < columns; ++c) names.push_back(fmt::format("x{}", c));
  return {times[runs / 2], plain, cpu_seconds([&] { find_pairs(samples, names, {.threads = 1}); })};
}

int run(const char* page) {
  const char* commit = std::getenv("MACMI_COMMIT");
  std::string text = fmt::format(
      "# All pairs of columns\n\nCPU seconds of one thread for one scan over all pairs by bit sets, for the same by "
      "the "
      "definition in loops (measured on a hundredth of the pairs), and for a search for pairs with its scans under "
      "permuted targets, on noise.\nWritten by `make bench` (bench/pairs_time.cpp){}.\n\n"
      "| columns | n | classes | scan | definition | ratio | search |\n|---|---|---|---|---|---|---|\n",
      commit ? fmt::format(" at commit {}", commit) : "");
  bool good = true;
  constexpr std::size_t cases[][3] = {{2000, 1000, 2}, {2000, 1000, 4}, {300, 20000, 2}};
  for (const auto& [columns, n, classes] : cases) {
    const Times t = measure(n, columns, classes);
    text += fmt::format("| {} | {} | {} | {:.2f} | {:.1f} | {:.1f} | {:.2f} |\n", columns, n, classes, t.scan, t.plain,
                        t.plain / t.scan, t.search);
    if (columns == 2000) good &= t.search <= 20 && t.plain >= 10 * t.scan;
  }
  fmt::print("{}", text);
  if (page != nullptr) std::ofstream(page) << text;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::interactions

int main(int argc, char** argv) {
  return macmi::interactions::run(argc > 1 ? argv[1] : nullptr);
}
