// The contingency test at n = 2000 with 3 × 3 × 9 cells and others: 1,000 tables drawn from their margins beside 1,000
// permutations of the samples, CPU seconds of one thread, medians of several runs.
//   tables_time [RUNS]
#include <fmt/format.h>
#include <time.h>

#include <algorithm>
#include <cstdlib>
#include <functional>
#include <vector>

#include "citest/engines/statistic.hpp"
#include "citest/permutation/local_permutation.hpp"
#include "macmi/ci_test.hpp"

namespace macmi {
namespace {

using Codes = std::vector<std::int32_t>;

double median_milliseconds(int runs, const std::function<void()>& work) {
  std::vector<double> times;
  for (int r = 0; r < runs; ++r) {
    timespec begin{}, end{};
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &begin);
    work();
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &end);
    times.push_back(1e3 * static_cast<double>(end.tv_sec - begin.tv_sec) +
                    1e-6 * static_cast<double>(end.tv_nsec - begin.tv_nsec));
  }
  std::sort(times.begin(), times.end());
  return times[times.size() / 2];
}

Codes labels(std::size_t n, std::uint64_t levels, base::RandomStream& random) {
  Codes codes;
  for (std::size_t i = 0; i < n; ++i) codes.push_back(static_cast<std::int32_t>(random.below(levels)));
  return codes;
}

/// The way before: every permutation exchanges the samples within the strata and counts them again.
void by_permuting(const Codes& x, const Codes& y, const Codes& z, std::size_t permutations) {
  const std::size_t n = x.size();
  const knn::JointSample sample{n, {{}, x}, {{}, y}, {{}, z}};
  const citest::StatisticProblem problem{
      citest::to_lattice(sample, citest::narrow_lattice), false, true, {5}, citest::FixedPsi::logarithms(n)};
  const auto engine = citest::make_table_engine(problem, 1);
  const citest::LocalPermutations draws(problem.sample.z, n, 5, 1);
  std::vector<std::uint32_t> source(n);
  std::vector<citest::StatisticSum> sum(1);
  for (std::size_t b = 0; b < permutations; ++b) {
    draws.draw(base::StreamKey(1), b, source);
    engine->evaluate(source, sum);
  }
}

void compare(std::size_t n, std::uint64_t x_levels, std::uint64_t y_levels, std::uint64_t z_levels, int runs) {
  base::RandomStream random(base::StreamKey(n).with(x_levels).with(z_levels));
  const Codes x = labels(n, x_levels, random), y = labels(n, y_levels, random), z = labels(n, z_levels, random);
  TestOptions options;
  options.stop = StopRule::never;
  options.threads = 1;
  const double drawn = median_milliseconds(
      runs, [&] { ci_test(Variable::categories(x), Variable::categories(y), Variable::categories(z), options); });
  const double permuted = median_milliseconds(runs, [&] { by_permuting(x, y, z, options.permutations); });
  fmt::print("| {} | {} x {} x {} | {:.2f} | {:.2f} | {:.1f} |\n", n, x_levels, y_levels, z_levels, drawn, permuted,
             permuted / drawn);
}

}  // namespace
}  // namespace macmi

int main(int argc, char** argv) {
  const int runs = argc > 1 ? std::atoi(argv[1]) : 5;
  fmt::print("| n | cells | whole test, ms | permuting alone, ms | ratio |\n|---|---|---|---|---|\n");
  macmi::compare(2000, 3, 3, 9, runs);
  macmi::compare(2000, 2, 2, 4, runs);
  macmi::compare(2000, 16, 16, 16, runs);
  macmi::compare(50000, 3, 3, 9, runs);
  macmi::compare(400, 300, 4, 1, runs);
  return 0;
}
