// The scan over bit sets against the definition, bit for bit, and the definition against entropies in doubles.
#include "interactions/pair_scan.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>
#include <map>

#include "base/random.hpp"
#include "base/vector/simd.hpp"
#include "interactions/chi_square.hpp"
#include "macmi/error.hpp"

namespace macmi::interactions {
namespace {

/// Columns of one to four levels, some of them rare, and a target of `classes`.
QuantisedSamples random_samples(std::size_t n, std::size_t columns, std::size_t classes, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("quantised"));
  constexpr std::uint8_t in_order[] = {0, 2, 3, 1};
  const auto level = [&](std::uint64_t levels, bool rare) {
    return in_order[rare && random.below(10) ? 0 : random.below(levels)];
  };
  QuantisedSamples samples;
  for (std::size_t i = 0; i < n; ++i) samples.target.push_back(level(classes, seed % 3 == 0));
  for (std::size_t c = 0; c < columns; ++c) {
    const std::uint64_t levels = 1 + random.below(4);
    const bool rare = random.below(3) == 0;
    Levels& column = samples.columns.emplace_back();
    for (std::size_t i = 0; i < n; ++i) column.push_back(random.below(4) ? level(levels, rare) : samples.target[i]);
    samples.feature.push_back(c < 4 ? c / 2 : c);  // two features of two columns
  }
  return samples;
}

PairCuts no_cuts() {
  PairCuts cuts;
  for (auto& row : cuts.quarters)
    for (std::int32_t& cut : row) cut = std::numeric_limits<std::int32_t>::min();
  return cuts;
}

/// Entropy in nats of the joint levels.
double entropy(const std::vector<const Levels*>& columns, std::size_t levels_together) {
  std::map<std::vector<int>, double> counts;
  const std::size_t n = columns.front()->size();
  for (std::size_t i = 0; i < n; ++i) {
    std::vector<int> cell;
    for (const Levels* column : columns) cell.push_back((*column)[i] / static_cast<int>(levels_together));
    ++counts[cell];
  }
  double sum = 0;
  for (const auto& [cell, count] : counts)
    sum -= count / static_cast<double>(n) * std::log(count / static_cast<double>(n));
  return sum;
}

double interaction(const Levels& a, const Levels& b, const Levels& y, std::size_t together) {
  const auto h = [&](const std::vector<const Levels*>& columns) { return entropy(columns, together); };
  const double of_both = h({&a, &b}) + h({&y}) - h({&a, &b, &y});
  return of_both - (h({&a}) + h({&y}) - h({&a, &y})) - (h({&b}) + h({&y}) - h({&b, &y}));
}

/// Each of some hundred values is rounded to 1 / 2 of a unit: 100 units of 2^-19 nats at n = 500.
TEST(PairScan, TheDefinitionIsInformationBeyondTheSingles) {
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    const std::size_t n = 40 + 100 * seed;
    const QuantisedSamples s = random_samples(n, 6, 2 + seed % 3, seed);
    const LogTable table(n);
    for (std::size_t a = 0; a < 6; ++a)
      for (std::size_t b = a + 1; b < 6; ++b) {
        const PairSums sums = plain_pair(s.columns[a], s.columns[b], s.target, table);
        const auto all = static_cast<double>(n);
        EXPECT_NEAR(table.to_nats(sums.quarters), all * interaction(s.columns[a], s.columns[b], s.target, 1), 2e-4);
        EXPECT_NEAR(table.to_nats(sums.halves), all * interaction(s.columns[a], s.columns[b], s.target, 2), 2e-4);
      }
  }
}

/// Sizes around the borders of words (64), of bytes (31 words) and of groups (8 columns); every instruction set.
TEST(PairScan, EqualsTheDefinitionOnEveryInstructionSet) {
  const std::pair<std::size_t, std::size_t> sizes[] = {{20, 3}, {64, 8}, {65, 9}, {300, 17}, {1000, 16}, {9000, 10}};
  for (const auto& [n, columns] : sizes)
    for (std::size_t classes = 1; classes <= 4; ++classes) {
      const QuantisedSamples samples = random_samples(n, columns, classes, n + classes);
      const LogTable table(n);
      const std::vector<PairHit> expected = plain_scan(samples, samples.target, table, no_cuts());
      EXPECT_GT(expected.size(), 0u);
      for (const std::string& target : base::simd_targets()) {
        base::limit_simd(target);
        EXPECT_EQ(scan_pairs(samples, samples.target, table, no_cuts(), 2), expected) << n << " " << target;
      }
      base::limit_simd("");
    }
}

TEST(PairScan, ListsWhatReachesItsCut) {
  const QuantisedSamples samples = random_samples(500, 40, 3, 7);
  const LogTable table(500);
  PairCuts cuts;
  cuts.halves = table.from_nats(8);
  for (auto& row : cuts.quarters)
    for (std::int32_t& cut : row) cut = table.from_nats(20);
  const std::vector<PairHit> hits = scan_pairs(samples, samples.target, table, cuts, 1);
  EXPECT_EQ(hits, plain_scan(samples, samples.target, table, cuts));
  EXPECT_EQ(hits, scan_pairs(samples, samples.target, table, cuts, 5));
  EXPECT_LT(hits.size(), plain_scan(samples, samples.target, table, no_cuts()).size());
  EXPECT_THROW(scan_pairs(samples, samples.target, table, cuts, 2, [](std::size_t) { return false; }), Cancelled);
}

/// Quantiles of χ² from tables: P = 0.05, 0.001, and far out -ln P by the asymptotic series.
TEST(ChiSquare, HasThePublishedQuantiles) {
  const std::tuple<std::size_t, double, double> known[] = {
      {1, 3.841459, 0.05},  {1, 10.827566, 0.001},  {2, 5.991465, 0.05},  {3, 16.266236, 0.001},
      {9, 16.918978, 0.05}, {18, 42.312396, 0.001}, {27, 40.113272, 0.05}};
  for (const auto& [df, x, p] : known) {
    EXPECT_NEAR(std::exp(-chi_square_surprise(x, df)), p, 1e-6 * p) << df;
    EXPECT_NEAR(chi_square_reaching(-std::log(p), df), x, 1e-5) << df;
  }
  EXPECT_NEAR(chi_square_surprise(2000, 2), 1000, 1e-9);
  // ln erfc(√h) = -h - ln √(πh) + ln(1 - 1/(2h) + …)
  EXPECT_NEAR(chi_square_surprise(2000, 1), 1000 + 0.5 * std::log(M_PI * 1000) + 0.0005, 1e-5);
  EXPECT_NEAR(chi_square_surprise(200.0001, 5), chi_square_surprise(199.9999, 5), 2e-4);
}

}  // namespace
}  // namespace macmi::interactions
