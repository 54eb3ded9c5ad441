#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "base/random.hpp"
#include "citest/null/null_distribution.hpp"

namespace macmi::citest {
namespace {

TEST(NullHistogram, CountsAreThoseOfADirectCount) {
  base::RandomStream random(base::StreamKey(1));
  const std::vector<double> observed{2.0, 5.0};
  std::vector<double> statistics;
  for (int b = 0; b < 500; ++b) statistics.insert(statistics.end(), {random.normal(), 3 + random.normal()});
  NullDistribution null(observed, 2);
  null.add(statistics);
  for (std::size_t drawn = 64; drawn < 400; drawn += 64) null.look(drawn);
  null.look(400);  // the rest is not part of the test
  for (const std::size_t scale : {0, 1}) {
    const NullHistogram h = null.histogram(scale);
    const std::size_t bins = h.counts.size();
    ASSERT_GT(bins, 10u);
    EXPECT_EQ(std::accumulate(h.counts.begin(), h.counts.end(), 0u), 400u);
    for (std::size_t bin = 0; bin < bins; ++bin) {
      const double width = (h.high - h.low) / static_cast<double>(bins), low = h.low + width * static_cast<double>(bin);
      std::uint32_t inside = 0;
      for (std::size_t b = 0; b < 400; ++b) {
        const double d = statistics[2 * b + scale] - observed[scale];
        inside += (d >= low || bin == 0) && (d < low + width || bin + 1 == bins);
      }
      EXPECT_NEAR(h.counts[bin], inside, 1) << bin;  // a value on an edge may fall to either side
    }
  }
}

TEST(NullHistogram, OneBarWhenAllPermutationsAgree) {
  NullDistribution null({1.0}, 1);
  null.add({0.25, 0.25, 0.25});
  null.look(3);
  const NullHistogram h = null.histogram(0);
  EXPECT_EQ(h.counts, (std::vector<std::uint32_t>{3}));
  EXPECT_EQ(h.low, -0.75);
  EXPECT_EQ(h.high, -0.75);
}

/// A test's histogram agrees with the other things it says of its null.
TEST(NullHistogram, AgreesWithMeanSpreadAndExceedances) {
  base::RandomStream random(base::StreamKey(2));
  for (const double strength : {0.0, 0.15, 1.0}) {
    std::vector<double> x(150), y(150);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = random.normal(), y[i] = strength * x[i] + random.normal();
    TestOptions options;
    options.k = 10;
    options.permutations = 400;
    options.stop = StopRule::never;
    const CiResult r = ci_test(x, y, {}, options);
    const NullHistogram& h = r.null_histogram;
    const double width = (h.high - h.low) / static_cast<double>(h.counts.size());
    double count = 0, sum = 0, squares = 0, above = 0;
    for (std::size_t bin = 0; bin < h.counts.size(); ++bin) {
      const double middle = h.low + width * (static_cast<double>(bin) + 0.5), here = h.counts[bin];
      count += here, sum += here * middle, squares += here * middle * middle;
      if (middle - width / 2 > r.statistic) above += here;
    }
    EXPECT_EQ(count, 400);
    EXPECT_NEAR(sum / count, r.null_mean, width / 2);
    EXPECT_NEAR(std::sqrt(squares / count - sum / count * sum / count), r.null_sd, width / 2);
    EXPECT_LE(above, static_cast<double>(r.exceedances));  // whole bars above the observed value
    EXPECT_EQ(r.exceedances == 0, h.high < r.statistic);
  }
}

}  // namespace
}  // namespace macmi::citest
