// Tests of conditional independence on the 3-D bullseye: the proposed method must be ahead of the others.
//   study_bullseye3d_tests OUT_DIRECTORY [DATA_SETS [WORK_DIRECTORY [SAMPLES [both|authors|caption]]]]
#include <fmt/format.h>

#include <fstream>
#include <map>
#include <string>

#include "experiments/reproduction.hpp"
#include "experiments/roc.hpp"

namespace macmi::study {
namespace {

struct Key {
  std::string graph, method;
  auto operator<=>(const Key&) const = default;
};

/// The area of each data set.
std::map<Key, std::vector<double>> areas_of(const Reproduction& r) {
  std::map<Key, std::map<std::string, std::vector<ScoredStatement>>> scores;
  for (const ResultTable& t : r.tables)
    if (t.name == "statements")
      for (const auto& row : t.rows)
        scores[{row[0], row[2]}][row[1]].push_back({row[5] == "1", std::stod(row[6]), std::stod(row[7])});
  std::map<Key, std::vector<double>> areas;
  for (const auto& [key, sets] : scores)
    for (const auto& [set, statements] : sets) areas[key].push_back(roc_area(statements));
  return areas;
}

int run(const std::string& directory, std::size_t sets, const std::string& work, std::size_t n,
        const std::string& dag) {
  ReproduceOptions options;
  options.seeds = sets;
  options.n = n;
  options.dag = dag == "authors"   ? BullseyeGraphs::authors
                : dag == "caption" ? BullseyeGraphs::caption
                                   : BullseyeGraphs::both;
  const Reproduction result = reproduce_bullseye3d(work, options, [](const Progress& p) {
    if (p.done % 50 == 0) fmt::print(stderr, "{} of {}: {}\n", p.done, p.expected, p.stage);
    return true;
  });
  const auto areas = areas_of(result);
  bool good = true;
  std::string said;
  const auto expect = [&](bool holds, const std::string& what) {
    good = good && holds;
    said += fmt::format("- {}: {}\n", holds ? "holds" : "**does not hold**", what);
  };
  for (const auto& [key, values] : areas) {
    const MeanInterval ours = mean_interval(areas.at({key.graph, "proposed"})), theirs = mean_interval(values);
    if (key.method == "proposed") {
      expect(ours.mean >= 0.97, fmt::format("{} graph: mean AUC at least 0.97 ({:.3f})", key.graph, ours.mean));
      continue;
    }
    if (key.method == "paper") continue;
    expect(ours.mean > theirs.mean,
           fmt::format("{} graph: above {} ({:.3f} against {:.3f})", key.graph, key.method, ours.mean, theirs.mean));
    if (key.method == "knn" || key.method == "sdcit")
      expect(ours.mean - ours.half_width > theirs.mean + theirs.half_width,
             fmt::format("{} graph: 95% intervals apart from {} (from {:.3f}; up to {:.3f})", key.graph, key.method,
                         ours.mean - ours.half_width, theirs.mean + theirs.half_width));
  }
  const std::string text =
      fmt::format("{}\n## What must hold\n\nWritten by `study_bullseye3d_tests DIR {} WORK {} {}`.\n\n{}",
                  markdown_text(result), sets, n, dag, said);
  fmt::print("{}", text);
  std::ofstream(directory + "/bullseye3d_tests.md") << text;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  const auto number = [&](int at, std::size_t otherwise) {
    return argc > at ? std::strtoul(argv[at], nullptr, 10) : otherwise;
  };
  return macmi::study::run(argc > 1 ? argv[1] : ".", number(2, 5), argc > 3 ? argv[3] : "study-bullseye3d",
                           number(4, 6000), argc > 5 ? argv[5] : "both");
}
