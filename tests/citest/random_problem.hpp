#pragma once
#include <algorithm>
#include <cmath>
#include <numeric>
#include <string>
#include <vector>

#include "base/random.hpp"
#include "citest/engines/statistic.hpp"
#include "citest/permutation/local_permutation.hpp"

namespace macmi::citest {

/// The kinds of data that engines have to agree on.
enum class Kind { continuous, rounded, zero_inflated, categorical, constant_runs, heavy_tailed };
inline constexpr Kind all_kinds[] = {Kind::continuous,  Kind::rounded,       Kind::zero_inflated,
                                     Kind::categorical, Kind::constant_runs, Kind::heavy_tailed};

inline std::vector<double> random_column(Kind kind, const std::vector<double>& cause, base::RandomStream& random) {
  std::vector<double> column;
  for (const double c : cause) {
    const double v = 0.6 * c + random.normal();
    switch (kind) {
      case Kind::rounded:
        column.push_back(std::round(2 * v) / 2);
        break;
      case Kind::zero_inflated:
        column.push_back(random.uniform() < 0.5 ? 0.0 : v);
        break;
      case Kind::constant_runs:
        column.push_back(v > 1 ? 1 : v);
        break;
      case Kind::heavy_tailed:
        column.push_back(std::tan(3.1 * (random.uniform() - 0.5)) + c);
        break;
      default:
        column.push_back(v);
    }
  }
  return column;
}

/// A block of `columns` numbers, or of categories (classes of them) and perhaps numbers.
inline knn::Block random_block(Kind kind, std::size_t columns, int classes, const std::vector<double>& cause,
                               base::RandomStream& random) {
  knn::Block block;
  if (columns == 0) return block;
  if (kind == Kind::categorical) {
    for (const double c : cause)
      block.category.push_back(
          static_cast<std::int32_t>(std::clamp((0.2 * c + random.uniform()) * classes, 0.0, classes - 0.5)));
    --columns;
  }
  for (std::size_t d = 0; d < columns; ++d) block.columns.push_back(random_column(kind, cause, random));
  return block;
}

inline knn::JointSample random_sample(std::size_t n, Kind x, std::size_t dx, Kind y, std::size_t dy, Kind z,
                                      std::size_t dz, int classes, base::RandomStream& random) {
  std::vector<double> cause(n);
  for (double& c : cause) c = random.normal();
  knn::JointSample sample{n, random_block(x, dx, classes, cause, random), random_block(y, dy, classes, cause, random),
                          random_block(z, dz, classes, cause, random)};
  return sample;
}

inline StatisticProblem random_problem(const knn::JointSample& sample, std::vector<std::size_t> ks, bool closed,
                                       std::int32_t range = narrow_lattice) {
  return {to_lattice(sample, range), closed, !sample.z.columns.empty() || !sample.z.category.empty(), std::move(ks),
          FixedPsi(sample.n)};
}

/// Two thirds of the time as it is, else with some of the samples as centres.
inline StatisticProblem perhaps_with_centres(StatisticProblem problem, std::uint64_t t) {
  if (t % 3 == 2)
    for (std::size_t i = t % 5; i < problem.sample.n; i += 1 + (t + i) % 4)
      problem.centres.push_back(static_cast<std::uint32_t>(i));
  return problem;
}

inline std::vector<std::uint32_t> draw_sources(const StatisticProblem& problem, std::size_t lanes,
                                               std::size_t neighbours, std::uint64_t seed) {
  const std::size_t n = problem.sample.n;
  const LocalPermutations permutations(problem.sample.z, n, neighbours, 1);
  std::vector<std::uint32_t> sources(lanes * n);
  for (std::size_t l = 0; l < lanes; ++l)
    permutations.draw(base::StreamKey(seed), l, std::span(sources).subspan(l * n, n));
  return sources;
}

}  // namespace macmi::citest
