// Columns without ties have one null distribution, whatever their values.
#include "citest/shared_null.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <vector>

#include "base/random.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {
namespace {

using base::StreamKey;

std::vector<double> drawn(std::size_t n, std::uint64_t seed, bool skewed) {
  base::RandomStream random(StreamKey(seed).with("shared null test"));
  std::vector<double> values;
  for (std::size_t i = 0; i < n; ++i) values.push_back(skewed ? std::exp(2 * random.normal()) : random.uniform());
  return values;
}

/// The two samples' distance in Kolmogorov and Smirnov's sense.
double distance(std::vector<double> a, std::vector<double> b) {
  std::sort(a.begin(), a.end());
  std::sort(b.begin(), b.end());
  double largest = 0;
  for (const double v : a) {
    const auto share = [&](const std::vector<double>& s) {
      return static_cast<double>(std::upper_bound(s.begin(), s.end(), v) - s.begin()) / static_cast<double>(s.size());
    };
    largest = std::max(largest, std::abs(share(a) - share(b)));
  }
  return largest;
}

/// Statistic `q` of every permutation.
std::vector<double> statistic(const std::vector<double>& all, std::size_t scales, std::size_t q) {
  std::vector<double> values;
  for (std::size_t b = 0; b * scales < all.size(); ++b) values.push_back(all[b * scales + q]);
  return values;
}

void expect_same_distribution(const Variable& x, const Variable& y, TieRule ties) {
  TestOptions options;
  options.transform = Transform::ranks;
  options.threads = 1;
  constexpr std::size_t count = 512;
  FoldTest own(x, y, Variable(), options, ties, {.look = WideLook::correlation}, StreamKey(5));
  SharedNull shared(x, y, options, ties, WideLook::correlation, StreamKey(6));
  const std::size_t scales = own.ks().size() + 1;
  const std::vector<double> mine = own.permuted(0, count), common = shared.permuted(0, count);
  // Two samples of 512 of one distribution are 0.12 apart with a probability of 0.1%.
  for (std::size_t q = 0; q < scales; ++q)
    EXPECT_LT(distance(statistic(mine, scales, q), statistic(common, scales, q)), 0.12) << q;
}

TEST(SharedNull, IsTheNullOfEveryColumnWithoutTies) {
  const std::vector<double> x = drawn(300, 1, true), y = drawn(300, 2, false);
  expect_same_distribution(x, y, TieRule::continuous);
}

TEST(SharedNull, IsTheNullOfNumbersAgainstClassesOfTheirSizes) {
  const std::vector<double> x = drawn(300, 1, true);
  std::vector<std::int32_t> classes;
  for (const double v : drawn(300, 3, false)) classes.push_back(v < 0.2 ? 7 : 3);
  expect_same_distribution(x, Variable::categories(classes), TieRule::mixed);
}

TEST(SharedNull, KnowsWhichColumnsShareIt) {
  EXPECT_EQ(shared_kind(drawn(50, 1, true)), shared_kind(drawn(50, 2, false)));
  std::vector<double> tied = drawn(50, 1, true);
  tied[3] = tied[4];
  EXPECT_EQ(shared_kind(tied), "");
  const std::vector<std::int32_t> a = {1, 1, 2, 2, 2}, b = {9, 4, 9, 4, 9}, c = {0, 0, 0, 0, 1};
  EXPECT_EQ(shared_kind(Variable::categories(a)), shared_kind(Variable::categories(b)));
  EXPECT_NE(shared_kind(Variable::categories(a)), shared_kind(Variable::categories(c)));
}

TEST(SharedNull, GivesEveryTestTheSamePermutations) {
  const std::vector<double> x = drawn(120, 1, true), y = drawn(120, 2, false);
  TestOptions options;
  options.transform = Transform::ranks;
  options.threads = 1;
  SharedNull at_once(x, y, options, TieRule::continuous, WideLook::none, StreamKey(6));
  SharedNull in_parts(y, x, options, TieRule::continuous, WideLook::none, StreamKey(6));
  const std::vector<double> all = at_once.permuted(0, 200);
  std::vector<double> parts = in_parts.permuted(0, 64);
  for (const double v : in_parts.permuted(64, 136)) parts.push_back(v);
  EXPECT_EQ(all, parts);
}

}  // namespace
}  // namespace macmi::citest
