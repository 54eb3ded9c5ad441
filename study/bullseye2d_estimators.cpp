// Estimators of mutual information on the 2-D bullseye: the proposed one must be near the truth and ahead of the
// others.
//   study_bullseye2d_estimators OUT_DIRECTORY [SEEDS [WORK_DIRECTORY]]
#include <fmt/format.h>

#include <cmath>
#include <fstream>
#include <map>
#include <string>

#include "experiments/reproduction.hpp"

namespace macmi::study {
namespace {

struct Estimates {
  double sum = 0, truth = 0;
  std::size_t count = 0;
  double error() const { return std::abs(sum / static_cast<double>(count) - truth); }
};
/// By ε, n and method.
using Table = std::map<std::tuple<std::string, std::string, std::string>, Estimates>;

Table collected(const experiments::Reproduction& r) {
  Table table;
  for (const experiments::ResultTable& t : r.tables) {
    if (t.name != "estimates") continue;
    for (const auto& row : t.rows) {
      Estimates& e = table[{row[0], row[1], row[3]}];
      e.truth = std::stod(row[4]);
      e.sum += std::stod(row[5]);
      ++e.count;
    }
  }
  return table;
}

int run(const std::string& directory, std::size_t seeds, const std::string& work) {
  experiments::ReproduceOptions options;
  options.seeds = seeds;
  const experiments::Reproduction result = experiments::reproduce_bullseye2d(work, options, [](const Progress& p) {
    if (p.done % 20 == 0) fmt::print(stderr, "{} of {}\n", p.done, p.expected);
    return true;
  });
  const Table table = collected(result);
  const auto error = [&](const std::string& epsilon, const std::string& n, const std::string& method) {
    return table.at({epsilon, n, method}).error();
  };
  bool good = true;
  std::string said;
  const auto expect = [&](bool holds, const std::string& what) {
    good = good && holds;
    said += fmt::format("- {}: {}\n", holds ? "holds" : "**does not hold**", what);
  };
  const double ours = error("0.3", "2000", "regularised"), knn = error("0.3", "2000", "knn"),
               kernels = error("0.3", "2000", "genie"), mine = error("0.3", "2000", "mine");
  expect(ours <= 0.06, fmt::format("regularised within 0.06 nats of the truth at ε = 0.3, n = 2000 ({:.3f})", ours));
  expect(ours < knn / 2 && ours < kernels / 2,
         fmt::format("less than half the error of k-NN ({:.3f}) and GENIE ({:.3f})", knn, kernels));
  expect(ours <= mine, fmt::format("not worse than MINE ({:.3f})", mine));
  for (const auto& [key, value] : table) {
    const auto& [epsilon, n, method] = key;
    if (method != "regularised" || n == "250") continue;
    expect(value.error() < error(epsilon, n, "knn"),
           fmt::format("closer than k-NN at ε = {}, n = {} ({:.3f} against {:.3f})", epsilon, n, value.error(),
                       error(epsilon, n, "knn")));
  }
  const std::string text =
      fmt::format("{}\n## What must hold\n\nWritten by `study_bullseye2d_estimators DIR {}`.\n\n{}",
                  experiments::markdown_text(result), seeds, said);
  fmt::print("{}", text);
  std::ofstream(directory + "/bullseye2d_estimators.md") << text;
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  return macmi::study::run(argc > 1 ? argv[1] : ".", argc > 2 ? std::strtoul(argv[2], nullptr, 10) : 10,
                           argc > 3 ? argv[3] : "study-bullseye2d");
}
