// From the paper's preset to our default, one difference after the other: what each does to the 3-D bullseye.
//   study_bullseye3d_recipe OUT_DIRECTORY [DATA_SETS [SAMPLES]]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <fstream>
#include <functional>

#include "blanket/d_separation.hpp"
#include "experiments/roc.hpp"
#include "experiments/simulations/bullseye.hpp"
#include "experiments/simulations/simulated_dataset.hpp"
#include "macmi/select.hpp"
#include "maps/training/masks.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

struct Step {
  const char* name;
  std::function<void(SelectOptions&)> apply;  ///< on top of all before
};

/// The preset written out, so that single values can be replaced.
SelectOptions preset_written_out() {
  SelectOptions o;
  o.maps.preset = MapsPreset::paper_3d;
  o = resolved(o);
  o.maps.preset = MapsPreset::none;
  o.maps.map_width = 32;
  o.maps.surrogate_width = 164;
  o.maps.map_dim = 1;
  o.maps.relu = true;
  o.maps.weight_decay = 0;
  o.maps.mask_rule = static_cast<int>(maps::MaskRule::uniform_masks);
  o.maps.folds = 1;
  return o;
}

std::vector<Step> steps() {
  return {{"the paper's preset", [](SelectOptions&) {}},
          {"+ SiLU in place of ReLU", [](SelectOptions& o) { o.maps.relu = false; }},
          {"+ weight decay", [](SelectOptions& o) { o.maps.weight_decay = -1; }},
          {"+ masks: single features half of the time", [](SelectOptions& o) { o.maps.mask_rule = -1; }},
          {"+ folds where the guard asks for them", [](SelectOptions& o) { o.maps.folds = 0; }},
          {"+ k = 5 in place of 100", [](SelectOptions& o) { o.test.k = NeighbourCount(5); }},
          {"+ conditioning set weighs double", [](SelectOptions& o) { o.test.z_weight = 2; }},
          {"+ shrink pass", [](SelectOptions& o) { o.search.no_shrink = false; }},
          {"+ surrogate of 128 units in place of 164", [](SelectOptions& o) { o.maps.surrogate_width = 0; }},
          {"+ what z explains of x stays in place: our default", [](SelectOptions& o) { o = SelectOptions(); }}};
}

struct Outcome {
  std::size_t exact = 0, rejected = 0, true_ones = 0;
  std::vector<double> areas;
};

void measure(SelectOptions o, std::size_t n, std::uint64_t seed, Outcome& out) {
  constexpr std::size_t y = 6;
  const blanket::Dag dag = experiments::bullseye_dag(experiments::BullseyeGraph::authors);
  const Dataset data =
      experiments::as_dataset(experiments::bullseye3d(n, 0.3, experiments::BullseyeGraph::authors, seed), 3);
  o.test.seed = seed;
  o.test.permutations = 200;
  o.test.stop = StopRule::never;
  const LearnedMaps maps = learn_maps(data, resolved(o).maps);
  const auto test = make_selection_test(maps, o);
  std::vector<experiments::ScoredStatement> scores;
  std::size_t dependences = 0;
  for (std::size_t x = 0; x < y; ++x)
    for (unsigned set = 0; set < 64; ++set) {
      std::vector<std::size_t> given;
      for (std::size_t s = 0; s < y; ++s)
        if (set >> s & 1U) given.push_back(s);
      if (given.size() > 3 || (set >> x & 1U)) continue;
      const bool independent = blanket::d_separated(dag, x, y, given);
      if (!independent && dependences++ % 5 != 0) continue;  // tests with k = 100 take seconds
      const CiResult r = test->test(x, given);
      scores.push_back({independent, r.p_value, r.z_score});
      out.true_ones += independent, out.rejected += independent && r.p_value <= 0.05;
    }
  out.areas.push_back(experiments::roc_area(scores));
  out.exact += select_features(data, maps, o).blanket.members == std::vector<std::string>{"x3", "x4", "x5", "x6"};
}

int run(const std::string& directory, std::size_t sets, std::size_t n) {
  std::string text = fmt::format(
      "# From the paper's preset to the default, step by step\n\nWritten by `study_bullseye3d_recipe DIR {} {}`: 3-D "
      "bullseye, authors' graph, n = {}, ε = 0.3, {} data sets, 200 permutations. Each row adds one difference to the "
      "row above.\n\n| | AUC over the 13 true statements and every fifth of the 143 false ones | true statements "
      "rejected "
      "at 0.05 | blanket exact |\n|---|---|---|---|\n",
      sets, n, n, sets);
  run::Ledger kept(directory + "/bullseye3d_recipe.unfinished");
  SelectOptions options = preset_written_out();
  double first = 0, last = 0;
  for (const Step& step : steps()) {
    step.apply(options);
    const std::string cells = kept.value(fmt::format("{}, n = {}, {} data sets", step.name, n, sets), [&] {
      Outcome out;
      for (std::uint64_t seed = 1; seed <= sets; ++seed) measure(options, n, seed, out);
      return fmt::format("{:.3f} | {} of {} | {} of {} |", experiments::mean_interval(out.areas).mean, out.rejected,
                         out.true_ones, out.exact, sets);
    });
    last = std::stod(cells);
    if (first == 0) first = last;
    const std::string row = fmt::format("| {} | {}\n", step.name, cells);
    fmt::print("{}", row);
    std::fflush(stdout);
    text += row;
  }
  std::ofstream(directory + "/bullseye3d_recipe.md") << text;
  kept.remove();
  return last > first ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  const auto number = [&](int at, std::size_t otherwise) {
    return argc > at ? std::strtoul(argv[at], nullptr, 10) : otherwise;
  };
  return macmi::study::run(argc > 1 ? argv[1] : ".", number(2, 5), number(3, 6000));
}
