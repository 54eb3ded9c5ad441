#include "citest/null/residual_correlation.hpp"

#include <gtest/gtest.h>

#include <Eigen/Dense>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/f_distribution.hpp"
#include "base/random.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {
namespace {

using base::RandomStream;
using base::StreamKey;
using Column = std::vector<double>;

ResidualCorrelation correlation_in(const knn::JointSample& sample) {
  return {sample, ZRegression(sample.z, sample.n), ResidualCorrelation::look(sample, false)};
}

std::vector<std::uint32_t> in_place(std::size_t n) {
  std::vector<std::uint32_t> source(n);
  std::iota(source.begin(), source.end(), 0u);
  return source;
}

/// Quantiles of the normal distribution at the ranks, by bisection.
Column scores(const Column& values) {
  Column result;
  for (const double v : values) {
    const auto below = std::count_if(values.begin(), values.end(), [=](double w) { return w < v; });
    const auto same = std::count(values.begin(), values.end(), v);
    const double p = (static_cast<double>(below) + static_cast<double>(same) / 2) / static_cast<double>(values.size());
    double low = -10, high = 10;
    for (int step = 0; step < 100; ++step) {
      const double middle = (low + high) / 2;
      (0.5 * std::erfc(-middle / std::sqrt(2.0)) < p ? low : high) = middle;
    }
    result.push_back(low);
  }
  return result;
}

double correlation(const Column& a, const Column& b) {
  const double n = static_cast<double>(a.size());
  const double ma = std::accumulate(a.begin(), a.end(), 0.0) / n, mb = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - ma) * (b[i] - mb);
    aa += (a[i] - ma) * (a[i] - ma);
    bb += (b[i] - mb) * (b[i] - mb);
  }
  return ab / std::sqrt(aa * bb);
}

struct Triple {
  Column x, y, z;
  explicit Triple(std::size_t n, double direct, std::uint64_t seed) {
    RandomStream random(StreamKey(seed).with("residual correlation"));
    for (std::size_t i = 0; i < n; ++i) {
      z.push_back(random.normal());
      x.push_back(z.back() + random.normal());
      y.push_back(z.back() + direct * x.back() + random.normal());
    }
  }
};

/// Few samples leave room for the scores of z themselves only: the textbook formula.
TEST(ResidualCorrelation, IsThePartialCorrelationOfNormalScores) {
  Triple t(19, -0.4, 1);
  for (std::size_t i = 0; i < 4; ++i) t.x[i] = 0;  // ties share their mean rank
  const double xy = correlation(scores(t.x), scores(t.y)), xz = correlation(scores(t.x), scores(t.z)),
               yz = correlation(scores(t.y), scores(t.z));
  const knn::JointSample sample{19, {{t.x}, {}}, {{t.y}, {}}, {{t.z}, {}}};
  EXPECT_NEAR(correlation_in(sample).of(in_place(19)), (xy - xz * yz) / std::sqrt((1 - xz * xz) * (1 - yz * yz)), 1e-9);
  EXPECT_NEAR(correlation_in({19, {{t.x}, {}}, {{t.y}, {}}, {}}).of(in_place(19)), xy, 1e-9);
}

/// Most of what z does along a curve is taken out of both.
TEST(ResidualCorrelation, TakesOutCurves) {
  RandomStream random(StreamKey(7).with("curve"));
  Column x, y, z;
  for (std::size_t i = 0; i < 500; ++i) {
    z.push_back(random.normal());
    x.push_back(std::pow(z.back(), 3) + 0.1 * random.normal());
    y.push_back(std::pow(z.back(), 3) + 0.1 * random.normal());
  }
  const double alone = correlation_in({500, {{x}, {}}, {{y}, {}}, {}}).of(in_place(500));
  const double given = correlation_in({500, {{x}, {}}, {{y}, {}}, {{z}, {}}}).of(in_place(500));
  EXPECT_GT(alone, 0.9);
  EXPECT_LT(std::abs(given), 0.33 * alone);
}

TEST(ResidualCorrelation, KnowsNothingOfMonotoneScales) {
  const Triple t(150, 0.3, 2);
  Column grown;
  for (const double v : t.x) grown.push_back(std::exp(3 * v));
  const knn::JointSample a{150, {{t.x}, {}}, {{t.y}, {}}, {{t.z}, {}}}, b{150, {{grown}, {}}, {{t.y}, {}}, {{t.z}, {}}};
  EXPECT_EQ(correlation_in(a).of(in_place(150)), correlation_in(b).of(in_place(150)));
}

TEST(ResidualCorrelation, TakesOutWhatTheCategoriesOfZExplain) {
  RandomStream random(StreamKey(3).with("categories"));
  Column x, y;
  std::vector<std::int32_t> z;
  for (std::size_t i = 0; i < 600; ++i) {
    z.push_back(static_cast<std::int32_t>(random.below(3)));
    x.push_back(5 * z.back() + random.normal());
    y.push_back(5 * z.back() + random.normal());
  }
  const double alone = correlation_in({600, {{x}, {}}, {{y}, {}}, {}}).of(in_place(600));
  const double given = correlation_in({600, {{x}, {}}, {{y}, {}}, {{}, z}}).of(in_place(600));
  EXPECT_GT(alone, 0.7);
  EXPECT_LT(std::abs(given), 0.16);  // 4 deviations of 1/√600
}

TEST(ResidualCorrelation, NothingIsLeftOfACopyOfZ) {
  const Triple t(100, 0.3, 4);
  EXPECT_EQ(correlation_in({100, {{t.z}, {}}, {{t.y}, {}}, {{t.z}, {}}}).of(in_place(100)), 0.0);
  const Column constant(100, 1.0);
  EXPECT_EQ(correlation_in({100, {{constant}, {}}, {{t.y}, {}}, {{t.z}, {}}}).of(in_place(100)), 0.0);
}

TEST(ResidualCorrelation, IsSignedBetweenSingleColumnsAndTwoCategories) {
  const Column c(100, 0.0);
  const std::vector<std::int32_t> two(100, 1);
  std::vector<std::int32_t> three = two;
  three[0] = 2;
  const auto look = [&](const knn::Block& x, bool scored = false) {
    return ResidualCorrelation::look({100, x, {{c}, {}}, {}}, scored);
  };
  EXPECT_EQ(look({{c}, {}}), WideLook::correlation);
  EXPECT_EQ(look({{}, two}), WideLook::correlation);
  EXPECT_EQ(look({{c, c}, {}}), WideLook::trace);
  EXPECT_EQ(look({{}, three}), WideLook::trace);
  EXPECT_EQ(look({{c}, two}), WideLook::trace);
  EXPECT_EQ(look({{c, c, c, c, c, c}, {}}), WideLook::none) << "a column for every twenty samples";
  EXPECT_EQ(look({{c, c, c, c, c, c}, {}}, true), WideLook::correlation);
}

/// Rows that hold the columns of x, of y and then whatever is given.
struct Blocks {
  std::vector<Column> x, y;
  Column z;
};

Blocks blocks(std::size_t n, std::size_t p, std::size_t q, double link, std::uint64_t seed) {
  RandomStream random(StreamKey(seed).with("blocks"));
  Blocks b{std::vector<Column>(p), std::vector<Column>(q), {}};
  for (std::size_t i = 0; i < n; ++i) {
    b.z.push_back(random.normal());
    for (auto& column : b.x) column.push_back(0.7 * b.z.back() + random.normal());
    for (std::size_t c = 0; c < q; ++c)
      b.y[c].push_back(0.7 * b.z.back() + (c == 0 ? link * b.x[0].back() : 0) + random.normal());
  }
  return b;
}

/// tr(Sxx⁻¹ Sxy Syy⁻¹ Syx) of centred columns, by elimination.
double pillai(const std::vector<Column>& x, const std::vector<Column>& y) {
  const auto centred = [](std::vector<Column> columns) {
    for (Column& c : columns) {
      const double mean = std::accumulate(c.begin(), c.end(), 0.0) / static_cast<double>(c.size());
      for (double& v : c) v -= mean;
    }
    return columns;
  };
  const auto products = [](const std::vector<Column>& a, const std::vector<Column>& b) {
    Eigen::MatrixXd m(a.size(), b.size());
    for (std::size_t i = 0; i < a.size(); ++i)
      for (std::size_t j = 0; j < b.size(); ++j)
        m(static_cast<Eigen::Index>(i), static_cast<Eigen::Index>(j)) =
            std::inner_product(a[i].begin(), a[i].end(), b[j].begin(), 0.0);
    return m;
  };
  const auto a = centred(x), b = centred(y);
  const Eigen::MatrixXd xy = products(a, b);
  return (products(a, a).inverse() * xy * products(b, b).inverse() * xy.transpose()).trace();
}

TEST(ResidualCorrelation, BetweenBlocksIsPillaisTrace) {
  const Blocks b = blocks(120, 3, 2, 0.5, 11);
  std::vector<Column> sx, sy;
  for (const Column& c : b.x) sx.push_back(scores(c));
  for (const Column& c : b.y) sy.push_back(scores(c));
  const knn::JointSample sample{120, {b.x, {}}, {b.y, {}}, {}};
  EXPECT_NEAR(std::pow(correlation_in(sample).of(in_place(120)), 3), pillai(sx, sy), 1e-9);
  EXPECT_EQ(correlation_in(sample).directions(), 2u);
  std::vector<Column> twice = b.x;
  twice.push_back(b.x[0]);  // adds nothing
  EXPECT_NEAR(std::pow(correlation_in({120, {twice, {}}, {b.y, {}}, {}}).of(in_place(120)), 3), pillai(sx, sy), 1e-9);
  // Zeros and ones of classes: the merged level is what is left.
  std::vector<std::int32_t> classes;
  std::vector<Column> indicators(3, Column(120));
  for (std::size_t i = 0; i < 120; ++i) {
    classes.push_back(static_cast<std::int32_t>((i * i + i / 7) % 4));
    if (classes.back() < 3) indicators[static_cast<std::size_t>(classes.back())][i] = 1;
  }
  EXPECT_NEAR(std::pow(correlation_in({120, {{}, classes}, {b.y, {}}, {}}).of(in_place(120)), 3),
              pillai(indicators, sy), 1e-9);
}

/// Ranked among permutations, the trace gives the p-value of the F approximation of Pillai's trace (Muller & Peterson
/// 1984) on normal data: within four errors of 400 permutations, and a hundredth for the approximation.
TEST(ResidualCorrelation, RanksAsAMultivariateAnalysisOfVarianceDoes) {
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    constexpr std::size_t n = 200, p = 3, q = 2;
    const Blocks b = blocks(n, p, q, seed % 3 == 0 ? 0.0 : 0.12 * static_cast<double>(seed % 3), 20 + seed);
    std::vector<Column> x = b.x, y = b.y;
    for (std::size_t i = 0; i < n; ++i)  // without what they share
      for (auto* side : {&x, &y})
        for (Column& c : *side) c[i] -= 0.7 * b.z[i];
    const ResidualCorrelation look = correlation_in({n, {x, {}}, {y, {}}, {}});
    const double observed = look.of(in_place(n)), v = observed * observed * observed, s = 2;
    const double error = static_cast<double>(n) - 1 - p;  // of the regression of y on x
    const double d1 = s * p, d2 = s * (error - q + s), f = v / (s - v) * d2 / d1;
    const double expected = base::f_upper_tail(f, d1, d2);
    RandomStream random(StreamKey(seed).with("ranks"));
    std::vector<std::uint32_t> source = in_place(n);
    int reached = 0;
    for (int draw = 0; draw < 400; ++draw) {
      for (std::size_t i = n; i > 1; --i) std::swap(source[i - 1], source[random.below(i)]);
      reached += look.of(source) >= observed;
    }
    const double found = (1.0 + reached) / 401;
    EXPECT_NEAR(found, expected, 4 * std::sqrt(expected * (1 - expected) / 400) + 0.01) << seed;
  }
}

/// A block against a block given a number, linear and weak: the wide look finds what neighbours miss.
TEST(CiTest, FindsWeakLinearEffectsBetweenBlocks) {
  int with = 0, without = 0, by_chance = 0;
  for (std::uint64_t seed = 0; seed < 12; ++seed) {
    const Blocks b = blocks(400, 3, 3, 0.25, 50 + seed), none = blocks(400, 3, 3, 0, 80 + seed);
    TestOptions options;
    options.permutations = 99;
    const auto rejected = [&](const Blocks& data) {
      Variable x, y;
      for (const Column& c : data.x) x.add(Variable(c));
      for (const Column& c : data.y) y.add(Variable(c));
      const CiResult r = ci_test(x, y, data.z, options);
      EXPECT_EQ(r.scales.back().directions, options.no_correlation ? 0u : 3u);
      return r.p_value <= 0.05;
    };
    with += rejected(b);
    by_chance += rejected(none);
    options.no_correlation = true;
    without += rejected(b);
  }
  EXPECT_GE(with, 9);
  EXPECT_GE(with, without + 3);
  EXPECT_LE(by_chance, 3);  // more have a probability of 0.002 at a level of 0.05
}

/// A direct effect against the one that x and y share through z: large neighbourhoods see the two cancel, small ones
/// see neither.
TEST(CiTest, FindsAWeakEffectThatZHides) {
  const Triple t(1000, -0.15, 5);
  TestOptions options;
  options.permutations = 199;
  options.stop = StopRule::never;
  const CiResult all = ci_test(t.x, t.y, t.z, options);
  EXPECT_LE(all.p_value, 0.01);
  EXPECT_EQ(all.k, 1000u);
  // -0.15 of deviation 1 beside noise of deviation 1: a correlation of 0.148, 0.0111 nats; its deviation is 1/√n.
  EXPECT_NEAR(all.effect, 0.0111, 4 * 0.148 / std::sqrt(1000.0));
  EXPECT_NEAR(all.effect, all.statistic - all.null_mean, 1e-12);
  EXPECT_NEAR(all.z_score, all.effect / all.null_sd, 1e-9);
  options.no_correlation = true;
  EXPECT_GT(ci_test(t.x, t.y, t.z, options).p_value, 0.05);
}

/// x and y follow z along curves that no line describes: the correlation has to be compared with the permutations'.
// ctest label long: a rejection rate over many data sets
TEST(CiTest, LevelHoldsWhereZActsAlongCurves) {
  int rejected = 0;
  constexpr int sets = 150;
  for (int set = 0; set < sets; ++set) {
    RandomStream random(StreamKey(6).with("curves").with(set));
    Column x, y, z;
    for (std::size_t i = 0; i < 200; ++i) {
      z.push_back(random.normal());
      x.push_back(z.back() * z.back() + random.normal());
      y.push_back(z.back() * z.back() + random.normal());
    }
    TestOptions options;
    options.permutations = 99;
    options.seed = static_cast<std::uint64_t>(set);
    rejected += ci_test(x, y, z, options).p_value <= options.alpha;
  }
  EXPECT_LE(rejected, 17);  // a true level of 0.05 exceeds this with a probability of 0.0009
}

/// Five columns of z that x and y follow closely: the nearest samples are not near, and exchanging x as it is breaks
/// x – z. At n = 200 that rejects half of such data sets; what is left in place by the regression keeps the level.
// ctest label long: a rejection rate over many data sets
TEST(CiTest, AdjustedPermutationsKeepTheLevelWhereNeighboursAreFar) {
  int adjusted = 0, plain = 0;
  for (int set = 0; set < 40; ++set) {
    RandomStream random(StreamKey(8).with("far neighbours").with(set));
    Column x, y, z;
    for (std::size_t i = 0; i < 200; ++i) {
      double mean = 0;
      for (int d = 0; d < 5; ++d) mean += z.emplace_back(random.normal()) / std::sqrt(5.0);
      x.push_back(mean + 0.5 * random.normal());
      y.push_back(mean + 0.5 * random.normal());
    }
    TestOptions options;
    options.permutations = 99;
    options.seed = static_cast<std::uint64_t>(set);
    adjusted += ci_test(x, y, Variable::rows(z, 5, "z"), options).p_value <= options.alpha;
    options.no_adjustment = true;
    plain += ci_test(x, y, Variable::rows(z, 5, "z"), options).p_value <= options.alpha;
  }
  EXPECT_LE(adjusted,
            8);  // a true level of 0.05 exceeds this with a probability of 0.0003, one of 0.5 stays with 0.0001
  EXPECT_GT(plain, 12);
}

}  // namespace
}  // namespace macmi::citest
