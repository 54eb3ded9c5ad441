// Tables with given margins, drawn as such, against all tables that there are and against permuted samples.
#include "citest/engines/tables/table_draw.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <map>
#include <numeric>

#include "citest/all_tables.hpp"

namespace macmi::citest {
namespace {

std::vector<StratifiedTable::Level> levels(const Margin& margin) {
  std::vector<StratifiedTable::Level> result;
  for (std::uint32_t c = 0; c < margin.size(); ++c) result.push_back({c, margin[c]});
  return result;
}

/// Pearson's χ² of drawn tables, those expected less than five times taken together; its degrees of freedom.
std::pair<double, double> chi_square(const std::map<Cells, double>& expected, const std::map<Cells, int>& drawn,
                                     int draws) {
  double chi = 0, degrees = -1, rest = 0, rest_drawn = 0;
  for (const auto& [cells, p] : expected) {
    const auto found = drawn.find(cells);
    const double times = found == drawn.end() ? 0 : found->second, mean = p * draws;
    if (mean < 5) {
      rest += mean, rest_drawn += times;
      continue;
    }
    chi += (times - mean) * (times - mean) / mean, ++degrees;
  }
  if (rest > 0) chi += (rest_drawn - rest) * (rest_drawn - rest) / rest, ++degrees;
  return {chi, degrees};
}

/// The first two are dealt label by label, the others drawn cell by cell. χ² exceeds its mean by four deviations with a
/// probability of about 3e-4.
TEST(TableDraws, AreDistributedAsEnumerationSays) {
  const std::pair<Margin, Margin> margins[] = {{{3, 2, 4}, {2, 3, 4}},
                                               {{1, 1, 5}, {3, 4}},
                                               {{2, 3, 38}, {3, 4, 36}},
                                               {{5, 20}, {7, 18}},
                                               {{4, 60}, {3, 2, 5, 54}}};
  for (const auto& [row_margin, column_margin] : margins) {
    const std::map<Cells, double> expected = all_tables(row_margin, column_margin);
    double sum = 0;
    for (const auto& [cells, p] : expected) sum += p;
    ASSERT_NEAR(sum, 1, 1e-9);
    const auto rows = levels(row_margin), columns = levels(column_margin);
    const std::uint32_t n = std::accumulate(row_margin.begin(), row_margin.end(), 0u);
    const StratifiedTable::Stratum stratum{n, rows, columns};
    const TableDraws draws(n);
    TableDraws::Scratch scratch;
    std::map<Cells, int> drawn;
    constexpr int times = 20000;
    for (int b = 0; b < times; ++b) {
      base::RandomStream random(base::StreamKey(1).with(static_cast<std::uint64_t>(b)));
      Cells cells(rows.size() * columns.size());
      draws.draw(stratum, random, scratch, [&](std::size_t r, std::size_t c, std::uint32_t samples) {
        cells[r * columns.size() + c] += samples;
      });
      ASSERT_TRUE(expected.contains(cells)) << "margins are not kept";
      ++drawn[cells];
    }
    const auto [chi, degrees] = chi_square(expected, drawn, times);
    EXPECT_LE(chi, degrees + 4 * std::sqrt(2 * degrees)) << n << " samples, " << expected.size() << " tables";
  }
}

/// Mean t m / n and variance t m (n - m) (n - t) / (n² (n - 1)); four and five standard errors.
// ctest label long: moments over many draws
TEST(TableDraws, HypergeometricNumbersHaveTheirMoments) {
  const TableDraws draws(1000000);
  struct Case {
    std::uint32_t total, marked, taken;
  };
  for (const auto& [total, marked, taken] :
       {Case{10, 3, 4}, Case{50, 49, 20}, Case{2000, 700, 900}, Case{1000000, 500000, 1000},
        Case{1000000, 400000, 600000}, Case{7, 7, 3}, Case{7, 2, 7}}) {
    base::RandomStream random(base::StreamKey(2).with(total).with(marked));
    constexpr int times = 4000;
    double sum = 0, squares = 0;
    const double n = total, m = marked, t = taken, mean = t * m / n,
                 variance = mean * (n - m) * (n - t) / (n * (n - 1));
    for (int b = 0; b < times; ++b) {
      const double d = draws.hypergeometric(total, marked, taken, random) - mean;
      sum += d, squares += d * d;
    }
    EXPECT_NEAR(sum / times, 0, 4 * std::sqrt(variance / times));
    EXPECT_NEAR(squares / times, variance, 5 * variance * std::sqrt(2.0 / times) + 0.02 * (variance < 1));
  }
}

}  // namespace
}  // namespace macmi::citest
