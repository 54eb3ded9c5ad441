// Copies of a cause: one is selected, the others are listed as interchangeable with it.
//   study_duplicates OUT_DIRECTORY [SEEDS]
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "base/random.hpp"
#include "experiments/simulations/simulated_dataset.hpp"
#include "macmi/select.hpp"

namespace macmi::study {
namespace {

struct Kind {
  const char* name;
  double correlation;  ///< of a copy with what it copies
};
const std::vector<Kind> kinds = {
    {"exact copies", 1}, {"near copies (r = 0.99)", 0.99}, {"noisy copies (r = 0.9)", 0.9}};
constexpr std::size_t n = 300, noise_features = 20;

/// y = tanh(a) + b² / 2 + c + noise. Of the three columns of `a` the first is `a` itself. What it tells beyond a near
/// copy is too little for so few samples: two standard errors.
Dataset draw(const Kind& kind, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("duplicates").with(kind.name));
  experiments::SimulatedTable table;
  table.names = {"a1", "a2", "a3", "b", "c"};
  for (std::size_t f = 0; f < noise_features; ++f) table.names.push_back(fmt::format("n{}", f));
  table.names.push_back("y");
  table.columns.assign(table.names.size(), std::vector<double>(n));
  const double r = kind.correlation, rest = std::sqrt(1 - r * r);
  for (std::size_t i = 0; i < n; ++i) {
    const double a = random.normal();
    for (std::vector<double>& column : table.columns) column[i] = random.normal();
    for (const std::size_t copy : {0, 1, 2})
      table.columns[copy][i] = copy == 0 ? a : r * a + rest * table.columns[copy][i];
    table.columns.back()[i] += std::tanh(a) + table.columns[3][i] * table.columns[3][i] / 2 + table.columns[4][i];
  }
  return experiments::as_dataset(std::move(table), 1);
}

struct Tally {
  int one = 0, all_listed = 0, others_right = 0;
};

/// Of one table: whether one copy alone is selected, whether the other two stand beside it, and whether b and c are
/// selected and no noise is.
void count(const Selection& selection, Tally& tally) {
  std::vector<const FeatureVerdict*> chosen;
  bool right = true;
  for (const FeatureVerdict& f : selection.blanket.features) {
    const bool in = f.role != Role::excluded;
    if (f.name.front() == 'a' && in) chosen.push_back(&f);
    if (f.name.front() != 'a') right &= in == (f.name == "b" || f.name == "c");
  }
  tally.one += chosen.size() == 1;
  tally.all_listed += chosen.size() == 1 && chosen.front()->interchangeable.size() == 2;
  tally.others_right += right;
}

int run(const std::string& out, int seeds) {
  const char* commit = std::getenv("MACMI_COMMIT");
  std::string page = fmt::format(
      "# Copies of a cause\n\ny = tanh(a) + b² / 2 + c + noise, n = {}, {} columns of noise, and `a` three times: as "
      "it is "
      "and two copies.\nShare of {} data sets each. Written by `make study` (study/duplicates.cpp){}, which asserts "
      "that one "
      "copy is\nselected in at least 0.8, and that exact and near copies are listed with it in at least 0.8.\n\n"
      "| copies | one is selected | and the other two are listed with it | b and c are selected, and no noise "
      "|\n|---|---|---|---|\n",
      n, noise_features, seeds, commit ? fmt::format(" at commit {}", commit) : "");
  bool good = true;
  for (const Kind& kind : kinds) {
    Tally tally;
    for (int seed = 0; seed < seeds; ++seed) count(select_features(draw(kind, 400 + seed), {}), tally);
    const auto share = [&](int c) { return static_cast<double>(c) / seeds; };
    page += fmt::format("| {} | {:.2f} | {:.2f} | {:.2f} |\n", kind.name, share(tally.one), share(tally.all_listed),
                        share(tally.others_right));
    fmt::print("{}: {:.2f} {:.2f} {:.2f}\n", kind.name, share(tally.one), share(tally.all_listed),
               share(tally.others_right));
    // A copy at 0.9 tells visibly less than the cause, so that it need not be able to stand in its place.
    good &= share(tally.one) >= 0.8 && (kind.correlation < 0.95 || share(tally.all_listed) >= 0.8);
    std::ofstream(out + "/duplicates.md") << page;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY [SEEDS]\n", argv[0]);
    return 2;
  }
  return macmi::study::run(argv[1], argc > 2 ? std::atoi(argv[2]) : 10);
}
