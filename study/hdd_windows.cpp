// Genuine drives: which attributes the default command selects, over seeds, and what predictors on them are worth.
//   study_hdd_windows OUT_DIRECTORY [SEEDS] [PARTS; 0: no evaluation]
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <fstream>

#include "hdd_data.hpp"
#include "macmi/evaluate.hpp"
#include "run/ledger.hpp"

namespace macmi::study {
namespace {

double auc_of(const Evaluation& e, const std::string& name) {
  for (const EvaluatedSet& set : e.sets)
    if (set.name == name) return set.auc;
  return 0;
}

int run(const std::string& directory, std::uint64_t seeds, std::uint64_t parts) {
  const Dataset data = drive_windows();
  std::string table = fmt::format(
      "# Attributes selected on genuine drives\n\nWritten by `study_hdd_windows`: {} drives, default command with "
      "`--no-children`, {} seeds.\n\n| seed | selected | CPU s |\n|---|---|---|\n",
      data.samples(), seeds);
  std::uint64_t right = 0, found = 0;
  bool good = true;
  run::Ledger kept(directory + "/hdd_windows.unfinished");
  for (std::uint64_t seed = 0; seed < seeds; ++seed) {
    const std::string cells = kept.value(fmt::format("seed {}", seed), [&] {
      const double before = cpu_seconds();
      const Selection selection = select_features(data, drive_options(seed));
      return fmt::format("{} | {:.0f}", fmt::join(selection.blanket.members, ", "), cpu_seconds() - before);
    });
    const auto has = [&](const char* name) { return cells.find(name) != std::string::npos; };
    right += has("smart_187_raw") && has("smart_197_raw") != has("smart_198_raw");
    found += has("smart_242_raw");
    good = good && !(has("smart_197_raw") && has("smart_198_raw")) && std::count(cells.begin(), cells.end(), ',') < 4;
    const std::string line = fmt::format("| {} | {} |\n", seed, cells);
    fmt::print("{}", line);
    std::fflush(stdout);
    table += line;
  }
  good = good && 10 * right >= 9 * seeds;
  table += fmt::format("\n187 and exactly one of 197 and 198 in {} of {}; 242 in {}.\n", right, seeds, found);
  const auto evaluated = [&](const std::string& name, const std::function<Evaluation()>& evaluate) {
    const std::string json =
        kept.value(fmt::format("{}, {} parts", name, parts), [&] { return evaluation_json(evaluate()); });
    return read_evaluation_json(json, "the kept evaluation");
  };
  if (parts > 1) {
    const Evaluation ahead = evaluated("seven days ahead", [&] {
      return evaluate_selection(drive_windows(7), {"smart_187_raw"}, drive_options(0),
                                {.parts = parts, .random_sets = 0, .no_l1 = true, .keep_selection = true});
    });
    const Evaluation e = evaluated("failure's day", [&] {
      return evaluate_selection(data, {}, drive_options(0), {.parts = parts}, {}, kept.work());
    });
    table += fmt::format("\nOn the failure's day:\n\n```\n{}```\n\nAll ten attributes seven days ahead: AUC {:.3f}.\n",
                         evaluation_text(e), auc_of(ahead, "all"));
    fmt::print("{}\nseven days ahead {:.3f}\n", evaluation_text(e), auc_of(ahead, "all"));
    good = good && auc_of(e, "selected") >= 0.80 && auc_of(e, "all") >= 0.84 && auc_of(ahead, "all") >= 0.78;
  }
  fmt::print("{}\n", good ? "as wanted" : "NOT as wanted");
  std::ofstream(directory + "/hdd_windows.md") << table;
  kept.remove();
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  using macmi::study::argument;
  return macmi::study::run(argc > 1 ? argv[1] : ".", argument(argc, argv, 2, 10), argument(argc, argv, 3, 5));
}
