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

/// The answers of a method: by data set and statement.
using Scores = std::map<std::string, std::map<std::string, experiments::ScoredStatement>>;

std::map<Key, Scores> scores_of(const experiments::Reproduction& r) {
  std::map<Key, Scores> scores;
  for (const experiments::ResultTable& t : r.tables)
    if (t.name == "statements")
      for (const auto& row : t.rows)
        scores[{row[0], row[2]}][row[1]][row[3] + " given " + row[4]] = {row[5] == "1", std::stod(row[6]),
                                                                         std::stod(row[7])};
  return scores;
}

/// The area of each data set, over the statements that `among` has, too.
std::vector<double> areas_of(const Scores& scores, const Scores& among) {
  std::vector<double> areas;
  for (const auto& [set, statements] : scores) {
    std::vector<experiments::ScoredStatement> shared;
    for (const auto& [name, statement] : statements)
      if (among.at(set).contains(name)) shared.push_back(statement);
    areas.push_back(experiments::roc_area(shared));
  }
  return areas;
}

int run(const std::string& directory, std::size_t sets, const std::string& work, std::size_t n,
        const std::string& dag) {
  experiments::ReproduceOptions options;
  options.seeds = sets;
  options.n = n;
  options.dag = dag == "authors"   ? experiments::BullseyeGraphs::authors
                : dag == "caption" ? experiments::BullseyeGraphs::caption
                                   : experiments::BullseyeGraphs::both;
  const experiments::Reproduction result = experiments::reproduce_bullseye3d(work, options, [](const Progress& p) {
    if (p.done % 50 == 0) fmt::print(stderr, "{} of {}: {}\n", p.done, p.expected, p.stage);
    return true;
  });
  const auto scores = scores_of(result);
  bool good = true;
  std::string said;
  const auto expect = [&](bool holds, const std::string& what) {
    good = good && holds;
    said += fmt::format("- {}: {}\n", holds ? "holds" : "**does not hold**", what);
  };
  for (const auto& [key, of_method] : scores) {
    const experiments::MeanInterval ours = experiments::mean_interval(
                                        areas_of(scores.at({key.graph, "proposed"}), of_method)),
                                    theirs = experiments::mean_interval(areas_of(of_method, of_method));
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
  const std::string text = fmt::format(
      "{}\n## What must hold\n\nWritten by `study_bullseye3d_tests DIR {} WORK {} {}`; compared over the "
      "statements that both were asked.\n\n{}",
      experiments::markdown_text(result), sets, n, dag, said);
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
