// The engine for one column against one column or categories gives the sums of the plain one, bit for bit.
#include <gtest/gtest.h>

#include "base/vector/simd.hpp"
#include "citest/random_problem.hpp"

namespace macmi::citest {
namespace {

using base::RandomStream;
using base::StreamKey;

std::vector<StatisticSum> evaluate(StatisticEngine& engine, const StatisticProblem& problem,
                                   const std::vector<std::uint32_t>& sources) {
  std::vector<StatisticSum> sums(sources.size() / problem.sample.n * problem.ks.size(), StatisticSum{7});
  engine.evaluate(sources, sums);
  return sums;
}

void expect_equal_to_plain(const StatisticProblem& problem, const std::vector<std::uint32_t>& sources) {
  ASSERT_TRUE(grid_engine_fits(problem));
  const auto plain = evaluate(*make_plain_engine(problem), problem, sources);
  for (const std::size_t threads : {1, 2, 3})
    ASSERT_EQ(plain, evaluate(*make_grid_engine(problem, threads), problem, sources)) << threads << " threads";
}

/// k = 1, 3, half of the samples, and as many as there can be; sometimes only one of them.
std::vector<std::size_t> random_ks(std::size_t n, RandomStream& random) {
  std::vector<std::size_t> ks{1, 3, n / 2, n - 1};
  std::sort(ks.begin(), ks.end());
  ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
  return random.below(2) ? ks : std::vector{ks[random.below(ks.size())]};
}

/// Nearly all values equal, or a few values only.
void flatten(std::vector<double>& column, RandomStream& random) {
  const double share = random.uniform();
  for (double& v : column) v = random.uniform() < share ? 1.0 : std::round(v);
}

knn::JointSample sample_of_case(std::size_t n, bool categories, RandomStream& random) {
  const auto kind = [&] {
    Kind drawn;
    do drawn = all_kinds[random.below(std::size(all_kinds))];
    while (drawn == Kind::categorical);
    return drawn;
  };
  const Kind x = kind(), y = categories ? Kind::categorical : kind();
  knn::JointSample sample = random_sample(n, x, 1, y, 1, Kind::continuous, 0, random.below(2) ? 2 : 5, random);
  if (random.below(4) == 0) flatten(sample.x.columns[0], random);
  if (!categories && random.below(4) == 0) flatten(sample.y.columns[0], random);
  if (categories && random.below(2)) sample.y.category[random.below(n)] = 77;  // alone in its class
  return sample;
}

void check_random_problems(bool categories, std::uint64_t seed) {
  for (std::uint64_t t = 0; t < 300; ++t) {
    RandomStream random(StreamKey(seed).with(t));
    const std::size_t n = 4 + random.below(147);
    const knn::JointSample sample = sample_of_case(n, categories, random);
    const bool closed = random.below(2) == 1;
    SCOPED_TRACE("case " + std::to_string(t) + " n " + std::to_string(n) + (closed ? " closed" : " open"));
    const StatisticProblem problem =
        random_problem(sample, random_ks(n, random), closed, t % 2 ? narrow_lattice : wide_lattice);
    expect_equal_to_plain(problem, draw_sources(problem, 5, 5, t));
    if (testing::Test::HasFatalFailure()) return;
  }
}

TEST(GridEngine, EqualsPlainOnRandomColumns) {
  check_random_problems(false, 71);
}

TEST(GridEngine, EqualsPlainOnRandomCategories) {
  check_random_problems(true, 72);
}

// ctest label threads: one thread against several
TEST(GridEngine, EqualsPlainOnSeveralHundredSamples) {  // rectangles of whole blocks, which small samples have not
  for (const Kind kind : {Kind::continuous, Kind::rounded, Kind::zero_inflated, Kind::heavy_tailed})
    for (const bool closed : {false, true}) {
      RandomStream random(StreamKey(73).with(static_cast<std::uint64_t>(kind)));
      const knn::JointSample sample = random_sample(700, kind, 1, kind, 1, kind, 0, 2, random);
      StatisticProblem problem = random_problem(sample, {5, 20, 70, 350}, closed, wide_lattice);
      expect_equal_to_plain(problem, draw_sources(problem, 1, 5, 1));
      problem.centres = {3, 4, 80, 333, 699};
      expect_equal_to_plain(problem, draw_sources(problem, 2, 5, 1));
    }
}

TEST(GridEngine, EqualsPlainWithEveryInstructionSet) {
  RandomStream random(StreamKey(74));
  const StatisticProblem problem = random_problem(
      random_sample(300, Kind::rounded, 1, Kind::continuous, 1, Kind::rounded, 0, 2, random), {3, 40}, true);
  const auto sources = draw_sources(problem, 3, 5, 1);
  const auto plain = evaluate(*make_plain_engine(problem), problem, sources);
  for (const std::string& target : base::simd_targets()) {
    base::limit_simd(target);
    EXPECT_EQ(plain, evaluate(*make_grid_engine(problem, 1), problem, sources)) << target;
  }
  base::limit_simd("");
}

TEST(GridEngine, TakesSourcesThatRepeatSamples) {
  RandomStream random(StreamKey(75));
  const StatisticProblem problem =
      random_problem(random_sample(40, Kind::rounded, 1, Kind::continuous, 1, Kind::rounded, 0, 2, random), {3}, false);
  std::vector<std::uint32_t> sources = draw_sources(problem, 3, 5, 1);
  sources[40] = sources[41];
  expect_equal_to_plain(problem, sources);
}

TEST(GridEngine, FitsOneColumnWithoutConditionsOnly) {
  RandomStream random(StreamKey(76));
  const auto fits = [&](Kind x, std::size_t dx, Kind y, std::size_t dy, std::size_t dz) {
    return grid_engine_fits(
        random_problem(random_sample(20, x, dx, y, dy, Kind::continuous, dz, 2, random), {3}, false));
  };
  EXPECT_TRUE(fits(Kind::continuous, 1, Kind::rounded, 1, 0));
  EXPECT_TRUE(fits(Kind::continuous, 1, Kind::categorical, 1, 0));
  EXPECT_FALSE(fits(Kind::continuous, 1, Kind::categorical, 2, 0));
  EXPECT_FALSE(fits(Kind::categorical, 1, Kind::continuous, 1, 0));
  EXPECT_FALSE(fits(Kind::continuous, 2, Kind::continuous, 1, 0));
  EXPECT_FALSE(fits(Kind::continuous, 1, Kind::continuous, 2, 0));
  EXPECT_FALSE(fits(Kind::continuous, 1, Kind::continuous, 1, 1));
}

}  // namespace
}  // namespace macmi::citest
