// SDCIT and CCIT: level and power on small models, what they refuse, the same bits.
#include <gtest/gtest.h>

#include "baselines/models.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"

namespace macmi::baselines {
namespace {

using testing::fork;
using testing::parabola;

TestOptions quick(std::uint64_t seed) {
  TestOptions options;
  options.permutations = 99;
  options.seed = seed;
  return options;
}

/// Few small trees: enough for models of three numbers.
CcitOptions small_trees() {
  CcitOptions options;
  options.rounds = 4;
  options.trees = 25;
  options.depths = {4};
  return options;
}

// ctest label long: a rejection rate over many data sets
TEST(Sdcit, RejectsAtItsLevelUnderConditionalIndependence) {
  std::size_t rejected = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    const auto t = fork(200, seed);
    rejected += sdcit_test(t.x, t.y, t.z, quick(seed)).p_value <= 0.05;
  }
  EXPECT_LE(rejected, 12U);  // 5 expected, standard deviation 2.2
}

TEST(Sdcit, SeesADirectEffectBesideACommonCause) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto t = fork(200, seed, 1);
    found += sdcit_test(t.x, t.y, t.z, quick(seed)).p_value <= 0.05;
  }
  EXPECT_GE(found, 18U);
}

TEST(Sdcit, WithoutConditioningItIsHsic) {
  const auto t = parabola(150, 2, 0.4);
  const CiResult a = sdcit_test(t.x, t.y, {}), b = hsic_test(t.x, t.y, HsicNull::gamma);
  EXPECT_EQ(a.p_value, b.p_value);
  EXPECT_EQ(a.statistic, b.statistic);
}

// ctest label threads: one thread against several
TEST(Sdcit, SameBitsForAnyNumberOfThreads) {
  const auto t = fork(150, 9, 0.5);
  TestOptions one = quick(1), many = quick(1);
  one.threads = 1, many.threads = 3;
  const CiResult a = sdcit_test(t.x, t.y, t.z, one), b = sdcit_test(t.x, t.y, t.z, many);
  EXPECT_EQ(a.statistic, b.statistic);
  EXPECT_EQ(a.null_sd, b.null_sd);
  EXPECT_EQ(a.p_value, b.p_value);
}

// ctest label long: a rejection rate over many data sets
TEST(Ccit, RejectsAtItsLevelUnderConditionalIndependence) {
  std::size_t rejected = 0;
  for (std::uint64_t seed = 0; seed < 40; ++seed) {
    const auto t = fork(400, seed);
    rejected += ccit_test(t.x, t.y, t.z, quick(seed), {}, small_trees()).p_value <= 0.05;
  }
  EXPECT_LE(rejected, 6U);  // 2 expected, standard deviation 1.4
}

TEST(Ccit, SeesDependenceWithAndWithoutConditioning) {
  std::size_t found = 0, marginal = 0;
  for (std::uint64_t seed = 0; seed < 10; ++seed) {
    const auto t = fork(600, seed, 1), p = parabola(600, seed, 1);
    found += ccit_test(t.x, t.y, t.z, quick(seed), {}, small_trees()).p_value <= 0.05;
    marginal += ccit_test(p.x, p.y, {}, quick(seed), {}, small_trees()).p_value <= 0.05;
  }
  EXPECT_GE(found, 9U);
  EXPECT_GE(marginal, 9U);
}

// ctest label threads: one thread against several
TEST(Ccit, SameBitsForAnyNumberOfThreads) {
  const auto t = fork(200, 3, 0.5);
  TestOptions one = quick(1), many = quick(1);
  one.threads = 1, many.threads = 3;
  const CiResult a = ccit_test(t.x, t.y, t.z, one, {}, small_trees()),
                 b = ccit_test(t.x, t.y, t.z, many, {}, small_trees());
  EXPECT_EQ(a.statistic, b.statistic);
  EXPECT_EQ(a.p_value, b.p_value);
}

TEST(ConditionalBaselines, RefuseWhatTheyCannotTest) {
  const auto t = fork(100, 1);
  std::vector<double> bad = t.z;
  bad[3] = INFINITY;
  const std::vector<double> constant(100, 2.0), few(10, 1.0);
  const std::vector<std::int32_t> folds(100, 0);
  for (const bool sdcit : {true, false}) {
    const auto test = [&](const Variable& x, const Variable& y, const Variable& z, const TestContext& context = {}) {
      return sdcit ? sdcit_test(x, y, z, quick(0), context) : ccit_test(x, y, z, quick(0), context, small_trees());
    };
    EXPECT_THROW(test(t.x, t.y, bad), InputError);
    EXPECT_THROW(test(few, few, few), InputError);
    TestContext context;
    context.folds = folds;
    EXPECT_THROW(test(t.x, t.y, t.z, context), InputError);
    EXPECT_EQ(test(constant, t.y, t.z).p_value, 1);
  }
}

}  // namespace
}  // namespace macmi::baselines
