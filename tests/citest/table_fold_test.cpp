// The test between categories alone, against permuted samples, other formulas and the truth.
#include "citest/table_fold.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>

#include "citest/all_tables.hpp"
#include "citest/engines/statistic.hpp"
#include "citest/permutation/local_permutation.hpp"
#include "macmi/ci_test.hpp"
#include "macmi/estimate.hpp"

namespace macmi::citest {
namespace {

using base::StreamKey;
using Codes = std::vector<std::int32_t>;

struct Categories {
  Codes x, y, z;
  Variable cx() const { return Variable::categories(x, "x"); }
  Variable cy() const { return Variable::categories(y, "y"); }
  Variable cz() const { return z.empty() ? Variable() : Variable::categories(z, "z"); }
};

/// x and y of `levels` labels follow z; y takes the label of x besides, with this probability.
Categories categories(std::size_t n, int levels, int given, double copied, std::uint64_t seed) {
  base::RandomStream random(StreamKey(seed).with("categories"));
  Categories c;
  const auto label = [&](std::int32_t z) {
    const auto any = static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(levels)));
    return random.uniform() < 0.3 ? z % levels : any;
  };
  for (std::size_t i = 0; i < n; ++i) {
    const auto z = given == 0 ? 0 : static_cast<std::int32_t>(random.below(static_cast<std::uint64_t>(given)));
    if (given > 0) c.z.push_back(z);
    c.x.push_back(label(z));
    const std::int32_t y = label(z);
    c.y.push_back(random.uniform() < copied ? c.x.back() : y);
  }
  return c;
}

knn::JointSample joint(const Categories& c) {
  return {c.x.size(), {{}, c.x}, {{}, c.y}, {{}, c.z}};
}

TEST(TableInformation, IsWhatNeighboursCountToTheLastBit) {
  for (const int given : {0, 1, 4, 90})
    for (const int levels : {2, 3, 40}) {
      const Categories c = categories(150, levels, given, 0.2, 3);
      EstimateOptions options;
      const double fast = cmi(c.cx(), c.cy(), c.cz(), options);
      options.engine = Engine::brute_force;
      EXPECT_EQ(fast, cmi(c.cx(), c.cy(), c.cz(), options));
    }
}

/// The same integer sum as counting samples gives, and p-values that differ by the error of a thousand draws each.
TEST(TableFold, AgreesWithPermutedSamples) {
  int cases = 0;
  for (const int given : {0, 3, 40})
    for (const int levels : {2, 4, 15})
      for (const double copied : {0.0, 0.08}) {
        const std::size_t n = 200;
        const Categories c = categories(n, levels, given, copied, static_cast<std::uint64_t>(10 + cases++));
        StatisticProblem problem{to_lattice(joint(c), narrow_lattice), false, given > 0, {5}, FixedPsi::logarithms(n)};
        const auto engine = make_table_engine(problem, 1);
        const LocalPermutations permutations(problem.sample.z, n, 5, 1);
        std::vector<std::uint32_t> source(n);
        std::vector<StatisticSum> sum(1);
        for (std::uint32_t i = 0; i < n; ++i) source[i] = i;
        engine->evaluate(source, sum);
        const std::int64_t observed = sum[0].terms;
        TableFold fold(joint(c), WideLook::none, 1, StreamKey(5));
        ASSERT_EQ(fold.observed()[0], problem.psi.to_nats(observed) / static_cast<double>(n));
        int reached = 0;
        for (std::uint64_t b = 0; b < 999; ++b) {
          permutations.draw(StreamKey(6), b, source);
          engine->evaluate(source, sum);
          reached += sum[0].terms >= observed;
        }
        TestOptions options;
        options.k = NeighbourCount(5);
        options.stop = StopRule::never;
        options.permutations = 999;
        const CiResult r = ci_test(c.cx(), c.cy(), c.cz(), options);
        EXPECT_EQ(r.rule, "counts");
        const double p = (reached + 1) / 1000.0, both = (p + r.p_value) / 2;
        EXPECT_NEAR(r.p_value, p, 4 * std::sqrt(2 * both * (1 - both) / 1000)) << given << " " << levels;
      }
}

/// How likely each value of Σ m ln m over the cells of all strata is, by every table that has the margins of c.
std::map<double, double> all_values(const Categories& c, int levels, int given, double& observed) {
  std::map<double, double> values{{0, 1}};
  const auto information = [](const Cells& cells) {
    double sum = 0;
    for (const std::uint32_t m : cells) sum += m > 1 ? m * std::log(m) : 0;
    return sum;
  };
  observed = 0;
  for (std::int32_t z = 0; z < given; ++z) {
    const auto size = static_cast<std::size_t>(levels);
    Margin rows(size), columns(size);
    Cells here(size * size);
    for (std::size_t i = 0; i < c.x.size(); ++i)
      if (c.z[i] == z) {
        const auto x = static_cast<std::size_t>(c.x[i]), y = static_cast<std::size_t>(c.y[i]);
        ++rows[x], ++columns[y], ++here[x * size + y];
      }
    observed += information(here);
    std::map<double, double> sums;
    for (const auto& [cells, p] : all_tables(rows, columns))
      for (const auto& [value, q] : values) sums[std::round(1e9 * (value + information(cells))) / 1e9] += p * q;
    values = std::move(sums);
  }
  return values;
}

/// Strata of about six samples, some of two or one: p-values are those of all tables that there are, but for the error
/// of 4,000 draws. Rounding to 1e-9 tells equal values of different tables from others, which are 1e-3 apart and more.
TEST(TableFold, PValuesAreThoseOfAllTables) {
  int between = 0;
  for (std::uint64_t set = 0; set < 12; ++set) {
    const int levels = set % 2 ? 3 : 2, given = 5;
    const Categories c = categories(30, levels, given, set < 6 ? 0.1 : 0.4, 40 + set);
    double observed = 0, reach = 0, total = 0;
    for (const auto& [value, p] : all_values(c, levels, given, observed)) {
      total += p;
      if (value > observed - 1e-7) reach += p;
    }
    ASSERT_NEAR(total, 1, 1e-9);
    TestOptions options;
    options.no_correlation = true;
    options.stop = StopRule::never;
    options.permutations = 4000;
    const CiResult r = ci_test(c.cx(), c.cy(), c.cz(), options);
    reach = std::min(reach, 1.0);
    EXPECT_NEAR(r.p_value, reach, 4 * std::sqrt(reach * (1 - reach) / 4000) + 1 / 4001.0) << set;
    between += reach > 0.01 && reach < 0.9;
  }
  EXPECT_GE(between, 8) << "too few of the cases tell anything";
}

/// From counts and from columns of zeros and ones. Levels of fewer than five samples are merged in both. Every stratum
/// has several levels here: others count in the columns' lengths, and not in tables.
TEST(TableFold, PooledTraceIsTheTraceOfResiduals) {
  for (const int given : {0, 4})
    for (const int levels : {2, 3, 12}) {
      const Categories c = categories(160, levels, given, 0.1, 4);
      const knn::JointSample sample = joint(c);
      const WideLook look = ResidualCorrelation::look(sample, false);
      EXPECT_EQ(look, levels == 2 ? WideLook::correlation : WideLook::trace);
      const ResidualCorrelation plain(sample, ZRegression(sample.z, sample.n), look);
      std::vector<std::uint32_t> in_place(sample.n);
      for (std::uint32_t i = 0; i < sample.n; ++i) in_place[i] = i;
      TableFold fold(sample, look, 1, StreamKey(1));
      EXPECT_NEAR(fold.observed_correlation()[0], plain.of(in_place), 1e-9);
    }
}

// ctest label threads: one thread against several
TEST(TableFold, ThreadsAndBatchesChangeNothing) {
  const Categories c = categories(300, 5, 12, 0.1, 5);
  const WideLook look = WideLook::trace;
  TableFold one(joint(c), look, 1, StreamKey(9)), three(joint(c), look, 3, StreamKey(9));
  const std::vector<double> all = one.permuted(0, 200);
  EXPECT_EQ(all, three.permuted(0, 200));
  const std::vector<double> part = three.permuted(64, 10);
  EXPECT_EQ(part, std::vector<double>(all.begin() + 128, all.begin() + 148));
}

/// A label of its own for each sample tells nothing; 20,000 of them, and as many of z, take no table of all.
TEST(TableFold, ManyLabelsAreNoTrouble) {
  Categories c = categories(20000, 10000, 0, 0, 6);
  TestOptions options;
  options.permutations = 64;
  EXPECT_GT(ci_test(c.cx(), c.cy(), {}, options).p_value, 0.01);
  for (std::size_t i = 0; i < c.x.size(); ++i) c.x[i] = static_cast<std::int32_t>(i), c.y[i] = c.y[i] % 2;
  EXPECT_EQ(ci_test(c.cx(), c.cy(), {}, options).p_value, 1);
  EXPECT_EQ(ci_test(c.cy(), c.cy(), c.cx(), options).p_value, 1) << "no two samples share their z";
}

/// Sixty strata of five samples: the information of so many cells hides what they share, and the pooled table shows it.
/// A level of 0.05 rejects 9 or more of 60 with a probability of 0.003.
TEST(TableFold, SeesWhatManySmallStrataShare) {
  int alone = 0, together = 0, by_chance = 0;
  for (std::uint64_t set = 0; set < 60; ++set) {
    TestOptions options;
    options.permutations = 199;
    options.threads = 1;
    const Categories dependent = categories(300, 4, 60, 0.2, 100 + set),
                     independent = categories(300, 4, 60, 0, 300 + set);
    together += ci_test(dependent.cx(), dependent.cy(), dependent.cz(), options).p_value <= 0.05;
    by_chance += ci_test(independent.cx(), independent.cy(), independent.cz(), options).p_value <= 0.05;
    options.no_correlation = true;
    alone += ci_test(dependent.cx(), dependent.cy(), dependent.cz(), options).p_value <= 0.05;
  }
  RecordProperty("together", together);
  RecordProperty("alone", alone);
  EXPECT_GE(together, alone + 10);
  EXPECT_LE(by_chance, 8);
}

}  // namespace
}  // namespace macmi::citest
