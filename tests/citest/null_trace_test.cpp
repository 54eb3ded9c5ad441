// A test that is judged again, or gone on with, ends with the bits of one made afresh.
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <cmath>
#include <map>

#include "base/random.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {
namespace {

struct Samples {
  std::vector<double> x, y, z;
};

/// `link` moves the test from clearly independent to clearly dependent.
Samples samples(double link, std::uint64_t seed, int n = 60) {
  base::RandomStream random(base::StreamKey(seed).with("null trace"));
  Samples s;
  for (int i = 0; i < n; ++i) {
    s.z.push_back(random.normal());
    s.x.push_back(s.z.back() + random.normal());
    s.y.push_back(s.z.back() + link * s.x.back() + random.normal());
  }
  return s;
}

CiResult run(const Samples& s, const TestOptions& options, bool conditioned, const CiResult* earlier = nullptr,
             std::size_t* drawn = nullptr) {
  TestContext context{.x = "x", .y = "y", .z = {"z"}};
  context.earlier = earlier;
  std::size_t first = 0, calls = 0;
  context.progress = [&](std::size_t done, std::size_t) {
    if (calls++ == 0) first = done;
    return true;
  };
  CiResult result = ci_test(s.x, s.y, conditioned ? Variable(s.z) : Variable(), options, context);
  if (drawn) *drawn = calls == 0 ? 0 : result.permutations - first;
  return result;
}

/// Everything but the trace, which may reach further after the second test.
std::string bits(const CiResult& r) {
  std::string text = fmt::format("{:a} {:a} {:a} {:a} {} {} {:a} {:a} {:a} {} {} {} {} {} {}", r.statistic, r.effect,
                                 r.tail_p, r.p_value, r.permutations, r.exceedances, r.null_mean, r.null_sd, r.z_score,
                                 r.n, r.left_out, r.k, r.rule, r.stopped, r.permuted);
  for (const CiScale& s : r.scales)
    text += fmt::format(" [{} {:a} {:a} {:a} {:a}]", s.k, s.statistic, s.effect, s.null_sd, s.z_score);
  for (const std::string& note : r.notes) text += note;
  return text;
}

std::vector<TestOptions> option_sets() {
  std::vector<TestOptions> all;
  for (const StopRule stop : {StopRule::never, StopRule::exact, StopRule::fast})
    for (const double alpha : {0.01, 0.05, 0.3})
      for (const std::uint64_t permutations : {100, 256, 330})
        for (const double min_cmi : {0.0, 0.05}) {
          TestOptions options;
          if (all.size() % 3 == 1) options.smallest_level = 1e-3;
          options.stop = stop;
          options.alpha = alpha;
          options.permutations = permutations;
          options.min_cmi = min_cmi;
          options.threads = 1;
          all.push_back(options);
        }
  return all;
}

TEST(NullTrace, AnEarlierTestUnderAnyOtherRuleGivesTheBitsOfAFreshOne) {
  const std::vector<TestOptions> sets = option_sets();
  for (const bool conditioned : {false, true})
    for (const double link : {0.3, 1.5}) {
      const Samples s = samples(link, 1);
      std::map<std::size_t, CiResult> fresh;
      for (std::size_t i = 0; i < sets.size(); ++i)
        if (i % 11 == 0 || i % 5 == 0) fresh[i] = run(s, sets[i], conditioned);
      for (std::size_t from = 0; from < sets.size(); from += 11)
        for (std::size_t to = 0; to < sets.size(); to += 5)
          ASSERT_EQ(bits(run(s, sets[to], conditioned, &fresh[from])), bits(fresh[to]))
              << link << " " << from << " " << to;
    }
}

TEST(NullTrace, ACovarianceBeyondDoubtDecidesAloneUnderFastToTheSameBitsFromAnyEarlierTest) {
  for (const double link : {0.0, 0.3, 2.0}) {
    const Samples s = samples(link, 5, 300);
    TestOptions fast, whole;
    fast.stop = StopRule::fast;
    whole.stop = StopRule::never;
    fast.threads = whole.threads = 1;
    fast.remainders_of_few = whole.remainders_of_few = true;
    const CiResult short_one = run(s, fast, true), long_one = run(s, whole, true);
    const bool alone = short_one.permutations == 0 && short_one.p_value <= 0.05;
    EXPECT_EQ(alone, link > 0);
    EXPECT_EQ(short_one.p_value <= 0.05, long_one.p_value <= 0.05);
    EXPECT_EQ(bits(run(s, fast, true, &long_one)), bits(short_one));
    EXPECT_EQ(bits(run(s, whole, true, &short_one)), bits(long_one));
    if (!alone) continue;
    EXPECT_FALSE(decide_again(short_one, whole).has_value());
    EXPECT_EQ(bits(decide_again(short_one, fast).value()), bits(short_one));
    EXPECT_LE(short_one.p_value, 0.05 * 1e-3);
    EXPECT_GT(run(s, {.stop = StopRule::fast}, false).scales.size(), 1u) << "marginal effects are needed whole";
  }
}

/// Blocks and tables, whose last scale is a trace.
TEST(NullTrace, TracesAreJudgedAgainToTheSameBits) {
  for (const bool table : {false, true})
    for (const double link : {0.0, 0.3, 2.0}) {
      const Samples s = samples(link, 6, 200);
      std::vector<std::int32_t> x, y, z;
      for (std::size_t i = 0; i < s.x.size(); ++i) {
        const auto level = [](double v) { return v < -0.7 ? 0 : v < 0.7 ? 1 : 2; };
        x.push_back(level(s.x[i])), y.push_back(level(s.y[i])), z.push_back(level(s.z[i]));
      }
      Variable bx(s.x), by(s.y);
      bx.add(Variable(s.z));  // of which z leaves nothing
      bx.add(Variable::categories(x)), by.add(Variable::categories(y));
      const auto test = [&](const TestOptions& options, const CiResult* earlier = nullptr) {
        TestContext context{.x = "x", .y = "y", .z = {"z"}};
        context.earlier = earlier;
        return table ? ci_test(Variable::categories(x), Variable::categories(y), Variable::categories(z), options,
                               context)
                     : ci_test(bx, by, s.z, options, context);
      };
      TestOptions fast, whole;
      fast.stop = StopRule::fast;
      whole.stop = StopRule::never;
      whole.permutations = 256;
      fast.threads = whole.threads = 1;
      const CiResult short_one = test(fast), long_one = test(whole);
      EXPECT_EQ(long_one.scales.back().directions, table ? 2u : 3u);
      if (table || link == 2) {
        EXPECT_EQ(short_one.scales.size() <= 1, link == 2) << "a clear covariance or trace decides by itself";
      }
      EXPECT_EQ(short_one.p_value <= 0.05, long_one.p_value <= 0.05);
      EXPECT_EQ(bits(test(fast, &long_one)), bits(short_one));
      EXPECT_EQ(bits(test(whole, &short_one)), bits(long_one));
    }
}

/// Classes of four against a block of two numbers, independent given z: five deviations of the root of the trace have a
/// chance of about 1e-6, and two in 100 would be rare even at the resampling risk of 1e-3.
// ctest label long: a rate over many data sets
TEST(NullTrace, ATraceHardlyEverDecidesWhereThereIsNone) {
  int decided = 0;
  for (std::uint64_t seed = 0; seed < 100; ++seed) {
    base::RandomStream random(base::StreamKey(seed).with("no trace"));
    std::vector<double> z, block;
    std::vector<std::int32_t> y;
    for (int i = 0; i < 120; ++i) {
      z.push_back(random.normal());
      for (int d = 0; d < 2; ++d) block.push_back(z.back() + random.normal());
      y.push_back(static_cast<std::int32_t>(random.below(4)) * (random.uniform() < 0.5));
    }
    TestOptions options;
    options.stop = StopRule::fast;
    options.permutations = 65;
    options.threads = 1;
    decided += ci_test(Variable::rows(block, 2), Variable::categories(y), z, options).scales.size() == 1;
  }
  EXPECT_LE(decided, 1);
}

// ctest label long: a rate over many data sets
TEST(NullTrace, ACorrelationHardlyEverDecidesWhereThereIsNone) {
  // Given z, x and y are independent: normal, and zero but for one sample in ten. Five deviations have a chance of 6e-7
  // for the one and below 1e-3 (the resampling risk) for the other; two in 400 would already be rare.
  int decided = 0;
  for (std::uint64_t seed = 0; seed < 200; ++seed)
    for (const bool sparse : {false, true}) {
      base::RandomStream random(base::StreamKey(seed).with("no correlation"));
      Samples s;
      for (int i = 0; i < 150; ++i) {
        s.z.push_back(random.normal());
        for (std::vector<double>* v : {&s.x, &s.y})
          v->push_back(sparse && random.uniform() > 0.1 ? 0 : (sparse ? 0 : s.z.back()) + random.normal());
      }
      TestOptions options;
      options.stop = StopRule::fast;
      options.permutations = 128;
      options.threads = 1;
      decided += run(s, options, true).scales.size() == 1;
    }
  EXPECT_LE(decided, 2);
}

TEST(NullTrace, OnlyWhatIsMissingIsDrawn) {
  const Samples s = samples(0.1, 2);
  TestOptions options;
  options.stop = StopRule::never;
  options.permutations = 500;
  options.threads = 1;
  const CiResult first = run(s, options, true);
  std::size_t drawn = 0;
  options.alpha = 0.2;
  run(s, options, true, &first, &drawn);
  EXPECT_EQ(drawn, 0u);
  options.permutations = 700;
  run(s, options, true, &first, &drawn);
  EXPECT_EQ(drawn, 200u);
}

TEST(NullTrace, FoldsAreGoneOnWithToTheBitsOfAFreshTest) {
  // Folds are paired within blocks of 64: 100 permutations end inside a block, whose rest has to be drawn again.
  const Samples s = samples(0.2, 7, 120);
  std::vector<std::int32_t> folds;
  for (std::size_t i = 0; i < s.x.size(); ++i) folds.push_back(static_cast<std::int32_t>(i % 3 == 0));
  const auto run_folds = [&](std::uint64_t permutations, StopRule stop, const CiResult* earlier) {
    TestOptions options;
    options.permutations = permutations;
    options.stop = stop;
    options.threads = 1;
    TestContext context{.x = "x", .y = "y", .z = {"z"}};
    context.folds = folds;
    context.earlier = earlier;
    return ci_test(s.x, s.y, Variable(s.z), options, context);
  };
  std::vector<CiResult> fresh;
  const std::vector<std::pair<std::uint64_t, StopRule>> ways = {{100, StopRule::never},
                                                                {300, StopRule::never},
                                                                {300, StopRule::fast},
                                                                {64, StopRule::exact},
                                                                {250, StopRule::exact}};
  for (const auto& [permutations, stop] : ways) fresh.push_back(run_folds(permutations, stop, nullptr));
  for (const CiResult& earlier : fresh)
    for (std::size_t i = 0; i < ways.size(); ++i)
      EXPECT_EQ(bits(run_folds(ways[i].first, ways[i].second, &earlier)), bits(fresh[i])) << i;
}

TEST(NullTrace, ASmallestLevelIsWorthMorePermutationsOnlyToDependences) {
  TestOptions plain;
  plain.stop = StopRule::fast;
  plain.threads = 1;
  plain.remainders_of_few = true;
  TestOptions small = plain;
  small.smallest_level = 5e-5;
  // Clearly independent: no more than the first.
  const Samples none = samples(0, 11, 200);
  EXPECT_LE(run(none, small, true).permutations, 64u);
  // Just below alpha: more, and the fitted value stays near the counted one of all permutations.
  TestOptions whole = plain;
  whole.stop = StopRule::never;
  whole.permutations = 20000;
  for (const double link : {0.35, 0.6}) {
    const Samples s = samples(link, 12, 200);
    const CiResult quick = run(s, plain, true), resolved = run(s, small, true), exact = run(s, whole, true);
    EXPECT_GE(resolved.permutations, quick.permutations);
    if (exact.exceedances >= 10)
      EXPECT_NEAR(std::log10(resolved_p(resolved)), std::log10(exact.p_value), 1) << link;
    else
      EXPECT_LE(resolved_p(resolved), 5e-3) << link;
  }
  // Beyond any doubt: the covariance is, without any of them.
  const CiResult strong = run(samples(2, 13, 300), small, true);
  EXPECT_LE(resolved_p(strong), 5e-5);
  EXPECT_EQ(strong.permutations, 0u);
}

TEST(NullTrace, TooFewPermutationsToSetTheScaleAreDrawnAgain) {
  const Samples s = samples(0.3, 3);
  TestOptions few;
  few.stop = StopRule::never;
  few.permutations = 30;
  TestOptions more = few;
  more.permutations = 90;
  const CiResult first = run(s, few, true);
  EXPECT_EQ(bits(run(s, more, true, &first)), bits(run(s, more, true)));
  EXPECT_EQ(bits(run(s, few, true, &first)), bits(first));
}

TEST(NullTrace, ATestWithoutPermutationsIsJudgedAgainAsItIs) {
  Samples s = samples(0, 4);
  s.x.assign(s.x.size(), 1.0);
  const CiResult constant = run(s, {}, true);
  ASSERT_EQ(constant.permutations, 0u);
  TestOptions other;
  other.alpha = 0.5;
  other.permutations = 10;
  EXPECT_EQ(bits(decide_again(constant, other).value()), bits(constant));
}

}  // namespace
}  // namespace macmi::citest
