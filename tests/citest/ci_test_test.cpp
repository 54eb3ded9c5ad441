#include "macmi/ci_test.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "citest/random_problem.hpp"
#include "macmi/error.hpp"
#include "oracle/reference_data.hpp"

namespace macmi::citest {
namespace {

struct Sample {
  std::vector<double> x, y, z;
};

/// z → x, z → y, and x → y with the given strength; z takes `levels` values when levels > 0.
Sample chain(std::size_t n, double strength, std::uint64_t seed, int levels = 0) {
  base::RandomStream random(base::StreamKey(seed).with(n));
  Sample s;
  for (std::size_t i = 0; i < n; ++i) {
    const double z = levels ? static_cast<double>(random.below(static_cast<std::uint64_t>(levels))) : random.normal();
    s.z.push_back(z);
    s.x.push_back(z + random.normal());
    s.y.push_back(z + strength * s.x.back() + random.normal());
  }
  return s;
}

void expect_same(const CiResult& a, const CiResult& b) {
  EXPECT_EQ(a.statistic, b.statistic);
  EXPECT_EQ(a.effect, b.effect);
  EXPECT_EQ(a.p_value, b.p_value);
  EXPECT_EQ(a.permutations, b.permutations);
  EXPECT_EQ(a.exceedances, b.exceedances);
  EXPECT_EQ(a.null_sd, b.null_sd);
  EXPECT_EQ(a.k, b.k);
}

/// The cases of pvalues_tigramite.csv: both p-values and null means are estimates from 1,000 permutations.
// ctest label long: many data sets with all their permutations
TEST(CiTest, AgreesWithTigramite) {
  std::ifstream file(oracle::path("pvalues_tigramite.csv"));
  std::string line;
  std::getline(file, line);
  int cases = 0;
  while (std::getline(file, line)) {
    SCOPED_TRACE(line);
    std::stringstream fields(line);
    std::vector<std::string> field;
    for (std::string f; std::getline(fields, f, ',');) field.push_back(f);
    const oracle::ReferenceData data(field[0]);
    TestOptions options;
    options.transform = field[1] == "ranks" ? Transform::ranks : Transform::standardize;
    options.k = std::stod(field[2]);
    options.stop = StopRule::never;
    options.no_adjustment = true;
    const CiResult r = ci_test(data.x, data.y, data.z, options);
    const double p = std::stod(field[7]), mean = std::stod(field[8]), sd = std::stod(field[9]);
    EXPECT_NEAR(r.p_value, p, 4 * std::sqrt(2 * p * (1 - p) / 1000));
    EXPECT_NEAR(r.null_mean, mean, 4 * sd * std::sqrt(2.0 / 1000));
    EXPECT_NEAR(r.null_sd, sd, 0.12 * sd);
    ++cases;
  }
  EXPECT_EQ(cases, 5);
}

TEST(CiTest, StatisticIsTheEstimatorsOwn) {
  const Sample s = chain(400, 0.3, 1);
  TestOptions options;
  options.permutations = 64;
  const CiResult r = ci_test(s.x, s.y, s.z, options);
  ASSERT_EQ(r.scales.size(), 4u);
  for (const CiScale& scale : r.scales) {
    if (scale.k == r.n) continue;  // the correlation, which is no neighbourhood's
    EstimateOptions estimate;
    estimate.k = static_cast<double>(scale.k);
    EXPECT_EQ(scale.statistic, cmi(s.x, s.y, s.z, estimate));
  }
  EXPECT_NEAR(r.effect, r.statistic - r.null_mean, 1e-12);
}

TEST(CiTest, ScalesByRanksOnlyWhereNothingIsGivenAndColumnsAreSingle) {
  const Sample s = chain(300, 0.8, 9);
  TestOptions options;
  options.permutations = 64;
  for (const bool given : {false, true}) {
    const Variable z = given ? Variable(s.z) : Variable();
    const CiResult r = ci_test(s.x, s.y, z, options);
    for (const CiScale& scale : r.scales) {
      if (scale.k == r.n) continue;
      EstimateOptions estimate;
      estimate.k = static_cast<double>(scale.k);
      estimate.transform = given ? Transform::block : Transform::ranks;
      EXPECT_EQ(scale.statistic, cmi(s.x, s.y, z, estimate)) << scale.k;
    }
  }
  EXPECT_EQ(used_transform(Variable::rows(s.x, 2, "x"), Variable::rows(s.y, 2, "y"), {}, options), Transform::block);
  // Ranks know nothing of the scale: any increasing function of x gives the same test.
  std::vector<double> cubes;
  for (const double x : s.x) cubes.push_back(x * x * x);
  EXPECT_EQ(ci_test(cubes, s.y, Variable(), options).statistic, ci_test(s.x, s.y, Variable(), options).statistic);
}

// ctest label threads: one thread against several
TEST(CiTest, ThreadsNamesAndBatchesDoNotChangeAnything) {
  const Sample s = chain(700, 0.05, 2);
  TestOptions options;
  options.permutations = 300;
  options.threads = 1;
  const CiResult one = ci_test(s.x, s.y, s.z, options, {.x = "a", .y = "b", .z = {"c"}});
  options.threads = 3;
  expect_same(one, ci_test(s.x, s.y, s.z, options, {.x = "a", .y = "b", .z = {"c"}}));
  const std::vector<TestRequest> requests(4, {s.x, s.y, s.z, {.x = "a", .y = "b", .z = {"c"}}});
  for (const CiResult& r : ci_tests(requests, options)) expect_same(one, r);
  const CiResult other = ci_test(s.x, s.y, s.z, options, {.x = "other", .y = "b", .z = {"c"}});
  EXPECT_EQ(one.statistic, other.statistic);
  EXPECT_NE(one.effect, other.effect);
}

TEST(CiTest, StoppingRulesLookAtTheSamePermutations) {
  for (const double strength : {0.0, 0.02, 0.5}) {
    const Sample s = chain(300, strength, 6);
    TestOptions options;
    options.no_correlation = true;  // which may decide alone under `fast` (NullTrace)
    options.stop = StopRule::never;
    const CiResult never = ci_test(s.x, s.y, s.z, options);
    options.stop = StopRule::exact;
    const CiResult exact = ci_test(s.x, s.y, s.z, options);
    options.stop = StopRule::fast;
    const CiResult fast = ci_test(s.x, s.y, s.z, options);
    EXPECT_EQ(never.permutations, 1000u);
    EXPECT_EQ(exact.p_value <= 0.05, never.p_value <= 0.05);
    EXPECT_EQ(fast.p_value <= 0.05, never.p_value <= 0.05);
    // More permutations continue the same stream: drawing only as many as `fast` used gives its counts.
    options.stop = StopRule::never;
    options.permutations = fast.permutations;
    expect_same(fast, ci_test(s.x, s.y, s.z, options));
  }
}

/// Power of a clear dependence (correlation 0.45 given z) at n = 1000 when z takes three values: all of 20 data sets.
// ctest label long: a rejection rate over many data sets
TEST(CiTest, DiscreteZHasPower) {
  int found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const Sample s = chain(1000, 0.5, seed, 3);
    TestOptions options;
    options.stop = StopRule::fast;
    options.permutations = 200;
    options.k = 20;
    found += ci_test(s.x, s.y, s.z, options).p_value <= 0.05;
  }
  EXPECT_EQ(found, 20);
}

TEST(CiTest, FoldsNeverCross) {
  // Each fold has the sign and scale of x as it likes: mixed, the dependence would cancel; within folds it is plain.
  Sample s = chain(600, 0.8, 8);
  std::vector<std::int32_t> folds;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    folds.push_back(static_cast<std::int32_t>(i % 2));
    if (folds.back()) s.x[i] = -50 * s.x[i];
  }
  TestOptions options;
  options.k = 20;
  options.permutations = 128;
  const CiResult r = ci_test(s.x, s.y, s.z, options, {.folds = folds});
  EXPECT_LE(r.p_value, 0.05);
  double expected = 0;
  for (int f = 0; f < 2; ++f) {
    Sample part;
    for (std::size_t i = 0; i < s.x.size(); ++i)
      if (folds[i] == f) {
        part.x.push_back(s.x[i]);
        part.y.push_back(s.y[i]);
        part.z.push_back(s.z[i]);
      }
    EstimateOptions estimate;
    estimate.k = 20;
    expected += 0.5 * cmi(part.x, part.y, part.z, estimate);
  }
  EXPECT_NEAR(r.statistic, expected, 1e-12);
  EXPECT_THROW(ci_test(s.x, s.y, s.z, options, {.folds = std::span(folds).first(5)}), InputError);
}

TEST(CiTest, CategoriesOfXYAndZ) {
  base::RandomStream random(base::StreamKey(9));
  std::vector<std::int32_t> x, y, z;
  std::vector<double> noise;
  for (std::size_t i = 0; i < 400; ++i) {
    z.push_back(static_cast<std::int32_t>(random.below(2)));
    x.push_back(random.uniform() < 0.7 ? z.back() : 1 - z.back());
    y.push_back(random.uniform() < 0.75 ? x.back() : static_cast<std::int32_t>(random.below(5)));
    noise.push_back(random.normal());
  }
  TestOptions options;
  const Variable cx = Variable::categories(x), cy = Variable::categories(y), cz = Variable::categories(z);
  EXPECT_LE(ci_test(cx, cy, cz, options).p_value, 0.01);
  EXPECT_GT(ci_test(noise, cy, cz, options).p_value, 0.01);
  EXPECT_GT(ci_test(cx, noise, cz, options).p_value, 0.01);
}

/// A class of 40 among 200 samples: some samples are alone in their cell, observed or permuted, in tests with numbers.
/// The observed value that permutations are compared with is the estimate itself, up to the lattice.
TEST(CiTest, SamplesAloneInTheirCellStayInTheTest) {
  base::RandomStream random(base::StreamKey(16));
  std::vector<std::int32_t> x, y, z;
  std::vector<double> number;
  for (std::size_t i = 0; i < 200; ++i) {
    x.push_back(static_cast<std::int32_t>(random.below(40)));
    y.push_back(static_cast<std::int32_t>(random.below(20)));
    z.push_back(static_cast<std::int32_t>(i < 199 ? random.below(2) : 2));  // the last is alone in z
    number.push_back(random.normal());
  }
  const Variable cx = Variable::categories(x), cy = Variable::categories(y), cz = Variable::categories(z);
  TestOptions options;
  options.permutations = 64;
  options.stop = StopRule::never;
  const auto check = [&](const Variable& a, const Variable& b, const Variable& c) {
    const CiResult r = ci_test(a, b, c, options);
    EXPECT_EQ(r.n, 200u);
    for (const CiScale& scale : r.scales) {
      if (scale.k == r.n) continue;  // the look at all samples
      EstimateOptions estimate;
      if (scale.k > 0) estimate.k = static_cast<double>(scale.k);  // tables have none
      EXPECT_EQ(scale.statistic, cmi(a, b, c, estimate));
    }
    return r;
  };
  const CiResult counted = check(cx, cy, cz);
  EXPECT_EQ(counted.rule, "counts");
  EXPECT_EQ(counted.left_out, 0u);
  EXPECT_TRUE(counted.notes.empty());
  const CiResult given_number = check(cx, cy, number);
  EXPECT_EQ(given_number.rule, "continuous");
  EXPECT_GT(given_number.left_out, 50u);
  ASSERT_EQ(given_number.notes.size(), 1u);
  EXPECT_NE(given_number.notes[0].find("samples that add nothing"), std::string::npos);
}

TEST(CiTest, AClassOfItsOwnForEverySampleTellsNothing) {
  const Sample s = chain(60, 0.5, 17);
  std::vector<std::int32_t> own(60), two(60), folds(60);
  for (std::size_t i = 0; i < 60; ++i) {
    own[i] = static_cast<std::int32_t>(i);
    two[i] = s.y[i] > 0 ? 1 : 0;
    folds[i] = i < 30 ? 0 : 1;
  }
  TestOptions options;
  options.permutations = 64;
  EXPECT_EQ(ci_test(Variable::categories(own), Variable::categories(two), {}, options).p_value, 1);
  // Given a number, a class may come to two samples by a local permutation, and then they are neighbours.
  EXPECT_GT(ci_test(Variable::categories(own), s.y, s.z, options).p_value, 0.05);
  // A number that is constant in one fold leaves that fold without numbers.
  std::vector<double> constant_at_first = s.x;
  std::fill_n(constant_at_first.begin(), 30, 1.0);
  EXPECT_NO_THROW(ci_test(constant_at_first, Variable::categories(two), {}, options, {.folds = folds}));
}

/// The lattice ranks permutations as the exact distances do: z scores within 0.15, on heavy tails too.
TEST(CiTest, LatticeStandsForTheData) {
  for (const Kind kind : {Kind::continuous, Kind::heavy_tailed, Kind::zero_inflated, Kind::rounded}) {
    SCOPED_TRACE(static_cast<int>(kind));
    base::RandomStream random(base::StreamKey(10).with(static_cast<std::uint64_t>(kind)));
    knn::JointSample sample = random_sample(500, kind, 1, kind, 1, kind, 1, 2, random);
    const bool closed = kind == Kind::zero_inflated || kind == Kind::rounded;
    StatisticProblem problem = random_problem(sample, {20}, closed, wide_lattice);
    const StatisticProblem narrow = random_problem(sample, {20}, closed, narrow_lattice);
    if (median_radius(sample, 20, narrow.sample.unit) >= 64) problem = narrow;
    const std::size_t lanes = 129, n = sample.n;
    auto sources = draw_sources(problem, lanes, 5, 1);
    std::iota(sources.begin(), sources.begin() + static_cast<std::ptrdiff_t>(n), 0u);
    const auto z_score = [&](StatisticEngine& engine) {
      std::vector<StatisticSum> sums(lanes);
      engine.evaluate(sources, sums);
      double sum = 0, squares = 0;
      for (std::size_t l = 1; l < lanes; ++l) {
        const double d = problem.psi.to_nats(sums[l].terms - sums[0].terms) / static_cast<double>(n);
        sum += d;
        squares += d * d;
      }
      const double mean = sum / (lanes - 1.0);
      return -mean / std::sqrt(squares / (lanes - 1.0) - mean * mean);
    };
    EXPECT_NEAR(z_score(*make_lane_engine(problem, 1)), z_score(*make_tree_engine(problem, sample, 1)), 0.15);
  }
}

TEST(CiTest, OutliersBeyondAnyLatticeTakeTheExactPath) {
  Sample s = chain(120, 0.8, 11);
  s.x[0] = 1e12;
  TestOptions options;
  options.permutations = 64;
  options.transform = Transform::none;
  const CiResult r = ci_test(s.x, s.y, s.z, options);
  EXPECT_LE(r.p_value, 0.05);
  EXPECT_EQ(r.notes.size(), 1u);
}

TEST(CiTest, AnyNeighboursAndSizes) {
  const Sample s = chain(60, 0.9, 12);
  for (const std::uint64_t neighbours : {1, 2, 7, 9, 30, 59, 60, 100}) {
    TestOptions options;
    options.neighbours = neighbours;
    options.permutations = 70;
    const CiResult r = ci_test(s.x, s.y, s.z, options);
    EXPECT_GT(r.p_value, 0);
    EXPECT_LE(r.p_value, 1);
  }
  const Sample tiny = chain(20, 0.9, 13);
  TestOptions options;
  options.permutations = 64;
  EXPECT_NO_THROW(ci_test(tiny.x, tiny.y, {}, options));
  options.k = 20;
  EXPECT_THROW(ci_test(tiny.x, tiny.y, tiny.z, options), InputError);
}

TEST(CiTest, ConstantsAreIndependentOfEverything) {
  const Sample s = chain(100, 0.9, 14);
  const std::vector<double> constant(100, 3.5);
  const CiResult r = ci_test(constant, s.y, s.z);
  EXPECT_EQ(r.p_value, 1);
  EXPECT_EQ(r.notes.size(), 1u);
}

TEST(CiTest, CanBeCancelled) {
  const Sample s = chain(100, 0, 15);
  EXPECT_THROW(ci_test(s.x, s.y, s.z, {}, {.progress = [](std::size_t, std::size_t) { return false; }}), Cancelled);
}

}  // namespace
}  // namespace macmi::citest
