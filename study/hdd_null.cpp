// Permuted targets on genuine drives, maps learned anew for each: how often a marginal test finds something.
//   study_hdd_null OUT_DIRECTORY [PERMUTED TARGETS]
#include <fmt/format.h>

#include <fstream>
#include <sstream>

#include "base/random_permutation.hpp"
#include "hdd_data.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

/// Marginal tests of one permuted target, and how many of them found something.
std::string measure(Dataset& data, const std::vector<std::int32_t>& codes, std::uint64_t t) {
  base::RandomStream random(base::StreamKey(t).with("permuted target"));
  const std::vector<std::uint32_t> order = base::random_permutation(codes.size(), random);
  for (std::size_t i = 0; i < codes.size(); ++i) {
    data.target.columns[0].codes[i] = codes[order[i]];
    data.target.columns[0].values[i] = data.target.columns[0].codes[i];
  }
  SelectOptions options = drive_options(t);
  const LearnedMaps maps = learn_maps(data, resolved(options).maps);
  options.search.delta = 0;  // the marginal tests alone
  const Selection selection = select_features(data, maps, options);
  int tests = 0, found = 0;
  for (const FeatureVerdict& feature : selection.blanket.features) {
    if (!feature.marginal || feature.name == "smart_198_raw") continue;  // the same as 197
    ++tests;
    found += feature.marginal->p_value <= options.search.alpha;
  }
  return fmt::format("{} {}", tests, found);
}

int run(const std::string& directory, std::uint64_t targets) {
  Dataset data = drive_windows();
  const std::vector<std::int32_t> codes = data.target.columns[0].codes;
  run::Ledger kept(directory + "/hdd_null.unfinished");
  double tests = 0, found = 0;
  for (std::uint64_t t = 0; t < targets; ++t) {
    std::istringstream measured(kept.value(fmt::format("target {}", t), [&] { return measure(data, codes, t); }));
    double of_this = 0, found_here = 0;
    measured >> of_this >> found_here;
    tests += of_this;
    found += found_here;
    fmt::print("{} of {} marginal tests so far\n", found, tests);
    std::fflush(stdout);
  }
  std::ofstream(directory + "/hdd_null.md") << fmt::format(
      "# Permuted targets on genuine drives\n\nWritten by `study_hdd_null`: {} permuted targets, maps learned anew for "
      "each.\n\n{} of {} marginal tests found a dependence ({:.1f}%).\n",
      targets, found, tests, 100 * found / tests);
  kept.remove();
  const bool good = found <= 0.05 * tests;
  fmt::print("{}\n", good ? "as wanted" : "NOT as wanted");
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  return macmi::study::run(argc > 1 ? argv[1] : ".", macmi::study::argument(argc, argv, 2, 20));
}
