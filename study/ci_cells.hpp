#pragma once
#include <fmt/format.h>
#include <time.h>

#include <cmath>
#include <mutex>
#include <string>
#include <vector>

#include "base/parallel.hpp"
#include "experiments/simulations/variable_kinds.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::study {

using experiments::GivenKind;
using experiments::VariableKind;

/// One cell of the matrix: kinds of x, y and z, and how many samples.
struct CiCell {
  VariableKind x, y;
  GivenKind z;
  std::size_t n;
  bool folds = false;         ///< two folds, x with a sign and a scale of its own in each, as learned maps have
  std::uint64_t centres = 0;  ///< fewer than the samples; 0: the default, which is more

  std::string name() const {
    return fmt::format("{} / {} / given {} / n = {}{}{}", experiments::name_of(x), experiments::name_of(y),
                       experiments::name_of(z), n, folds ? " / folds" : "",
                       centres ? fmt::format(" / {} centres", centres) : "");
  }
  bool plain() const { return !folds && centres == 0; }
  bool table() const {
    const auto categories = [](VariableKind v) {
      return v == VariableKind::two_classes || v == VariableKind::four_classes || v == VariableKind::sixteen_classes;
    };
    return categories(x) && categories(y) &&
           (z == GivenKind::nothing || z == GivenKind::four_classes || z == GivenKind::two_categories);
  }
  /// The correlation of the noises of x and y where they depend on each other.
  double dependence() const { return n < 1000 ? 0.6 : 0.3; }
};

/// Every pair of kinds under every kind of z at n = 300. At n = 2000 every pair once, in an order that brings every
/// kind under every z. With folds: what a search on learned maps tests. With centres: what a test of many samples does.
/// Tables of categories are among the pairs, from dense (2 x 2 in 4 strata at n = 2000) to sparse (16 x 16 in 24 strata
/// at n = 300).
inline std::vector<CiCell> all_cells() {
  std::vector<CiCell> cells;
  const auto each_pair = [](auto use) {
    for (const VariableKind x : experiments::all_variable_kinds)
      for (const VariableKind y : experiments::all_variable_kinds)
        if (x <= y) use(x, y);
  };
  for (const GivenKind z : experiments::all_given_kinds)
    each_pair([&](VariableKind x, VariableKind y) { cells.push_back({x, y, z, 300}); });
  each_pair([&](VariableKind x, VariableKind y) {
    const std::size_t turn =
        (static_cast<std::size_t>(x) + static_cast<std::size_t>(y)) % std::size(experiments::all_given_kinds);
    cells.push_back({x, y, experiments::all_given_kinds[turn], 2000});
  });
  for (const VariableKind x : {VariableKind::number, VariableKind::block})
    for (const VariableKind y : {VariableKind::number, VariableKind::two_classes})
      for (const GivenKind z : {GivenKind::nothing, GivenKind::number, GivenKind::three_numbers})
        cells.push_back({x, y, z, 2000, true});
  // 400 centres: neighbours among all samples. 100 centres: among 800 of them.
  for (const auto& [x, y] : {std::pair(VariableKind::number, VariableKind::number),
                             std::pair(VariableKind::number, VariableKind::two_classes),
                             std::pair(VariableKind::count, VariableKind::sixteen_classes)})
    for (const GivenKind z : {GivenKind::nothing, GivenKind::number, GivenKind::sixteen_classes_and_number})
      for (const std::uint64_t centres : {400, 100}) cells.push_back({x, y, z, 2000, false, centres});
  return cells;
}

/// Rejections among some data sets, and the processor time of a thread that they took.
struct CiTally {
  std::size_t sets = 0, rejected = 0;
  double seconds = 0;
  double rate() const { return sets == 0 ? 0 : static_cast<double>(rejected) / static_cast<double>(sets); }
  double seconds_a_set() const { return sets == 0 ? 0 : seconds / static_cast<double>(sets); }
  void add(const CiTally& other) {
    sets += other.sets;
    rejected += other.rejected;
    seconds += other.seconds;
  }
};

inline double thread_seconds() {
  timespec t{};
  clock_gettime(CLOCK_THREAD_CPUTIME_ID, &t);
  return static_cast<double>(t.tv_sec) + 1e-9 * static_cast<double>(t.tv_nsec);
}

inline bool is_rejected(const CiCell& cell, double dependence, std::size_t set) {
  base::RandomStream random(base::StreamKey(77).with(cell.name()).with(set));
  experiments::SimulatedTriple s = experiments::simulate_triple(cell.x, cell.y, cell.z, cell.n, dependence, random);
  TestOptions options;
  options.permutations = 199;
  options.threads = 1;
  options.seed = set;
  if (cell.centres) options.centres = cell.centres;
  TestContext context;
  std::vector<std::int32_t> folds;
  if (cell.folds) {
    for (std::size_t i = 0; i < cell.n; ++i) {
      folds.push_back(static_cast<std::int32_t>(i % 2));
      if (i % 2 == 1)
        for (auto& column : s.x.numbers) column[i] *= -3;
    }
    context.folds = folds;
  }
  return ci_test(s.x.view("x"), s.y.view("y"), s.z.view("z"), options, context).p_value <= options.alpha;
}

/// Data sets first … first + count - 1 of a cell.
inline CiTally measure(const CiCell& cell, double dependence, std::size_t first, std::size_t count) {
  CiTally tally;
  std::mutex mutex;
  base::parallel_for(count, 1, 0, [&](std::size_t begin, std::size_t end) {
    const double start = thread_seconds();
    std::size_t rejected = 0;
    for (std::size_t i = begin; i < end; ++i) rejected += is_rejected(cell, dependence, first + i);
    const std::lock_guard lock(mutex);
    tally.add({end - begin, rejected, thread_seconds() - start});
  });
  return tally;
}

}  // namespace macmi::study
