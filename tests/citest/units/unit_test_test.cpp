// Tests of samples that belong to units or follow each other in time.
#include "citest/units/unit_test.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "citest/units/clustered_covariance.hpp"
#include "macmi/error.hpp"
#include "macmi/select.hpp"

namespace macmi::citest {
namespace {

struct Samples {
  std::vector<double> x, y, z;
  std::vector<std::int32_t> units;
  std::vector<std::int32_t> classes(const std::vector<double>& v) const {
    std::vector<std::int32_t> codes;
    for (const double value : v) codes.push_back(value > 0 ? 1 : 0);
    return codes;
  }
};

/// x and y with unit effects as large as their noise; `within` and `between` are what correlates.
Samples simulate(std::uint64_t seed, std::size_t units, std::size_t rows, double within = 0, double between = 0) {
  base::RandomStream random(base::StreamKey(seed).with("units"));
  Samples s;
  for (std::size_t u = 0; u < units; ++u) {
    const double a = random.normal(), b = between * a + std::sqrt(1 - between * between) * random.normal();
    const double c = random.normal();
    for (std::size_t j = 0; j < rows; ++j) {
      const double own = random.normal(), z = c + random.normal();
      s.z.push_back(z);
      s.x.push_back(a + own + 0.7 * z);
      s.y.push_back(b + within * own + std::sqrt(1 - within * within) * random.normal() + 0.7 * z);
      s.units.push_back(static_cast<std::int32_t>(u));
    }
  }
  return s;
}

TestOptions fast(std::uint64_t seed = 0) {
  TestOptions options = SelectOptions().test;
  options.permutations = 200;
  options.threads = 1;
  options.seed = seed;
  return options;
}

CiResult run(const Samples& s, const Variable& x, const Variable& y, const Variable& z, TestOptions options = fast()) {
  TestContext context;
  context.units = s.units;
  return ci_test(x, y, z, options, context);
}

TEST(UnitTest, UnitEffectsThatAreIndependentAreNoDependence) {
  std::size_t numbers = 0, classes = 0, unaware = 0;
  const std::size_t sets = 60;
  for (std::size_t r = 0; r < sets; ++r) {
    const Samples s = simulate(r, 20, 10);
    const auto cx = s.classes(s.x), cy = s.classes(s.y);
    numbers += run(s, s.x, s.y, s.z, fast(r)).p_value <= 0.05;
    classes += run(s, Variable::categories(cx), Variable::categories(cy), s.z, fast(r)).p_value <= 0.05;
    unaware += ci_test(s.x, s.y, s.z, fast(r)).p_value <= 0.05;
  }
  EXPECT_LE(numbers, 9) << "P(Bin(60, 0.05) > 9) = 0.001";
  EXPECT_LE(classes, 9);
  EXPECT_GE(unaware, 12) << "the simulation has unit effects that matter";
}

TEST(UnitTest, FewUnitsThatFollowZEachInItsWay) {
  std::size_t found = 0;
  for (std::size_t r = 0; r < 60; ++r) {
    Samples s = simulate(r, 4, 60);
    for (std::size_t i = 0; i < s.x.size(); ++i) {  // slopes of units that happen to agree between x and y
      const double slope = s.units[i] % 2 == 0 ? 1 : -1;
      s.x[i] += slope * s.z[i], s.y[i] += slope * s.z[i];
    }
    found += run(s, s.x, s.y, s.z, fast(r)).p_value <= 0.05;
  }
  EXPECT_LE(found, 9) << "P(Bin(60, 0.05) > 9) = 0.001";
}

TEST(UnitTest, FindsWhatDependsWithinAndWhatDependsBetweenUnits) {
  const Samples within = simulate(1, 40, 10, 0.4), between = simulate(2, 40, 10, 0, 0.9);
  for (const Samples* s : {&within, &between}) {
    EXPECT_LE(run(*s, s->x, s->y, s->z).p_value, 0.02);
    EXPECT_LE(run(*s, Variable::categories(s->classes(s->x)), s->y, {}).p_value, 0.05);
  }
}

TEST(UnitTest, SaysWhatWasDone) {
  const Samples many = simulate(3, 10, 6), few = simulate(3, 4, 40);
  EXPECT_NE(run(many, many.x, many.y, {}).notes.front().find("10 units: they change places whole"), std::string::npos);
  EXPECT_NE(run(few, few.x, few.y, {}).notes.front().find("4 units are too few to change places"), std::string::npos);
  std::vector<double> of_unit;
  for (const std::int32_t u : few.units) of_unit.push_back(u);
  const CiResult constant = run(few, of_unit, few.y, {});
  EXPECT_EQ(constant.p_value, 1);
  EXPECT_NE(constant.notes.back().find("too few units"), std::string::npos);
}

TEST(UnitTest, ExchangesTheVariableThatIsConstantWithinUnits) {
  Samples s = simulate(4, 30, 5);
  for (std::size_t i = 0; i < s.y.size(); ++i) s.y[i] = s.y[i / 5 * 5];
  EXPECT_EQ(run(s, s.x, s.y, {}).permuted, "y");
  EXPECT_EQ(run(s, s.y, s.x, {}).permuted, "x");
}

TEST(UnitTest, TheSameBitsForAnyThreadsAndNumbersOfUnits) {
  const Samples s = simulate(5, 12, 8, 0.3);
  const CiResult one = run(s, s.x, s.y, s.z);
  TestOptions threads = fast();
  threads.threads = 3;
  Samples renamed = s;
  for (std::int32_t& u : renamed.units) u = 1000 - 7 * u;
  const auto memory = make_test_memory();
  TestContext context;
  context.units = s.units;
  context.memory = memory.get();
  for (const CiResult& other :
       {run(s, s.x, s.y, s.z, threads), run(renamed, s.x, s.y, s.z), ci_test(s.x, s.y, s.z, fast(), context)}) {
    EXPECT_EQ(other.p_value, one.p_value);
    EXPECT_EQ(other.statistic, one.statistic);
    EXPECT_EQ(other.null, one.null);
  }
}

TEST(UnitTest, AnEarlierOutcomeIsTakenUnderTheSameOptionsAlone) {
  const Samples s = simulate(6, 12, 8);
  const CiResult earlier = run(s, s.x, s.y, s.z);
  TestOptions other = fast();
  ASSERT_TRUE(decide_again(earlier, other).has_value());
  EXPECT_EQ(decide_again(earlier, other)->p_value, earlier.p_value);
  other.alpha = 0.5;
  EXPECT_FALSE(decide_again(earlier, other).has_value());
}

TEST(UnitTest, RefusesWhatItDoesNotKnow) {
  const Samples s = simulate(7, 10, 4);
  TestContext context;
  context.units = s.units;
  context.folds = s.units;
  EXPECT_THROW(ci_test(s.x, s.y, {}, fast(), context), InputError);
  context.folds = {};
  EXPECT_THROW(ci_test_by(Method::fisherz, s.x, s.y, {}, fast(), context), InputError);
  context.units = std::span(s.units).first(5);
  EXPECT_THROW(ci_test(s.x, s.y, {}, fast(), context), InputError);
}

TEST(UnitTest, TooManyColumnsForTheUnitsAreUndecidable) {
  Samples s = simulate(8, 9, 4);
  std::vector<std::vector<double>> columns;
  base::RandomStream random(base::StreamKey(8));
  Variable z;
  for (std::size_t c = 0; c < 12; ++c) {
    columns.emplace_back();
    for (std::size_t i = 0; i < s.x.size(); ++i) columns.back().push_back(random.normal());
  }
  for (const auto& column : columns) z.add(NumericColumn{column.data(), 1, ""}, column.size());
  const CiResult result = run(s, s.x, s.y, z);
  EXPECT_TRUE(result.undecidable);
  EXPECT_EQ(result.p_value, 1);
}

TEST(ClusteredCovariance, IsTheSumOverUnitsOverTheRootOfTheirSquares) {
  const Samples s = simulate(9, 9, 4);
  const RowUnits units(s.units);
  const Clusters clusters = clusters_of(units, 1);
  FreedPair pair = freed_of(s.x, s.y, {}, units, clusters, nullptr);
  pair.x.curves.resize(36, 0), pair.y.curves.resize(36, 0);  // one pair of columns is left
  pair.x.within.resize(36, 0), pair.y.within.resize(36, 0);
  double sum = 0, squares = 0;
  for (std::size_t u = 0; u < 9; ++u) {
    double of_unit = 0;
    for (std::size_t j = 0; j < 4; ++j) {
      const auto i = static_cast<Eigen::Index>(4 * u + j);
      of_unit += pair.x.all(i, 0) * pair.y.all(i, 0);
    }
    sum += of_unit, squares += of_unit * of_unit;
  }
  // Student's t with 8 degrees of freedom: P(|T| ≥ t) = 1 - sin θ (1 + cos²θ/2 + 3 cos⁴θ/8 + 5 cos⁶θ/16), tan θ = t/√8.
  const double theta = std::atan(std::abs(sum) / std::sqrt(squares) / std::sqrt(8.0)), c = std::cos(theta);
  const double p = 1 - std::sin(theta) * (1 + c * c / 2 + 3 * std::pow(c, 4) / 8 + 5 * std::pow(c, 6) / 16);
  const double trace = 1 - std::exp(2 * std::log(p) / 36);
  EXPECT_NEAR(ClusteredCovariance(pair, clusters, 9, false).observed(), std::cbrt(trace), 1e-12);
}

/// Two independent autoregressive series.
Samples two_series(std::uint64_t seed, std::size_t n, double memory, double dependence = 0) {
  base::RandomStream random(base::StreamKey(seed).with("series"));
  Samples s;
  double x = 0, y = 0;
  for (std::size_t i = 0; i < n + 100; ++i) {
    const double own = random.normal();
    x = memory * x + own;
    y = memory * y + dependence * own + std::sqrt(1 - dependence * dependence) * random.normal();
    if (i >= 100) s.x.push_back(x), s.y.push_back(y);
  }
  return s;
}

TEST(SeriesTest, ValuesThatFollowEachOtherAreNoDependence) {
  std::size_t found = 0, unaware = 0;
  TestContext context;
  context.one_series = true;
  for (std::size_t r = 0; r < 60; ++r) {
    const Samples s = two_series(r, 200, 0.9);
    found += ci_test(s.x, s.y, {}, fast(r), context).p_value <= 0.05;
    unaware += ci_test(s.x, s.y, {}, fast(r)).p_value <= 0.05;
  }
  EXPECT_LE(found, 9) << "P(Bin(60, 0.05) > 9) = 0.001";
  EXPECT_GE(unaware, 25);
}

TEST(SeriesTest, FindsADependence) {
  TestContext context;
  context.one_series = true;
  const Samples s = two_series(1, 500, 0.5, 0.4);
  const CiResult found = ci_test(s.x, s.y, {}, fast(), context);
  EXPECT_LE(found.p_value, 0.02);
  EXPECT_NE(found.notes.front().find("rows in the order of time: x is shifted"), std::string::npos);
}

}  // namespace
}  // namespace macmi::citest
