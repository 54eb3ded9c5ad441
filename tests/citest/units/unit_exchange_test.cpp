#include "citest/units/unit_exchange.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <numeric>
#include <set>

namespace macmi::citest {
namespace {

std::vector<std::int32_t> units_of_sizes(const std::vector<std::size_t>& sizes) {
  std::vector<std::int32_t> units;
  for (std::size_t u = 0; u < sizes.size(); ++u) units.insert(units.end(), sizes[u], static_cast<std::int32_t>(u));
  return units;
}

std::vector<std::uint32_t> draw(const UnitExchange& exchange, std::size_t n, std::uint64_t index) {
  std::vector<std::uint32_t> source(n);
  exchange.draw(index, source);
  return source;
}

bool rearranges(std::vector<std::uint32_t> source) {
  std::sort(source.begin(), source.end());
  for (std::size_t i = 0; i < source.size(); ++i)
    if (source[i] != i) return false;
  return true;
}

const base::StreamKey stream(1);

TEST(UnitExchange, UnitsOfOneSizeChangePlacesWholeAndInOrder) {
  const RowUnits units(units_of_sizes(std::vector<std::size_t>(10, 6)));
  const UnitExchange exchange(units, false, 0, stream);
  std::set<std::vector<std::uint32_t>> all;
  for (std::uint64_t b = 0; b < 50; ++b) {
    const auto source = draw(exchange, 60, b);
    EXPECT_TRUE(rearranges(source));
    for (std::size_t i = 0; i < 60; ++i) EXPECT_EQ(source[i], source[i / 6 * 6] + i % 6);
    EXPECT_EQ(source[0] % 6, 0);
    all.insert(source);
  }
  EXPECT_GT(all.size(), 45);  // of 10! orders
  EXPECT_EQ(draw(exchange, 60, 7), draw(exchange, 60, 7));
  EXPECT_EQ(exchange.share_filled(), 0);
}

TEST(UnitExchange, UnitsOfDifferentSizeRearrangeTheSamplesAndStayTogetherMostly) {
  std::vector<std::size_t> sizes;
  for (std::size_t u = 0; u < 40; ++u) sizes.push_back(5 + u);
  const RowUnits units(units_of_sizes(sizes));
  const UnitExchange exchange(units, false, 0, stream);
  const std::size_t n = units.samples();
  double apart = 0;
  for (std::uint64_t b = 0; b < 50; ++b) {
    const auto source = draw(exchange, n, b);
    EXPECT_TRUE(rearranges(source));
    for (const auto& own : units.rows) {  // samples whose value comes from another unit than most of theirs do
      std::map<std::uint32_t, std::size_t> from;
      for (const std::uint32_t i : own) ++from[units.unit_of[source[i]]];
      std::size_t most = 0;
      for (const auto& [unit, count] : from) most = std::max(most, count);
      apart += static_cast<double>(own.size() - most) / static_cast<double>(n) / 50;
    }
  }
  EXPECT_LT(apart, 0.1);
  EXPECT_NEAR(apart, exchange.share_filled(), 0.03);  // samples that lack a value may get one of the very same unit
}

TEST(UnitExchange, WhatIsConstantWithinUnitsChangesPlacesWithAnySize) {
  const RowUnits units(units_of_sizes({1, 2, 3, 50, 5, 6, 7, 8, 9}));
  const UnitExchange exchange(units, true, 0, stream);
  std::set<std::uint32_t> given_to_first;
  for (std::uint64_t b = 0; b < 100; ++b) {
    const auto source = draw(exchange, units.samples(), b);
    std::set<std::uint32_t> givers;
    for (const auto& own : units.rows) {
      for (const std::uint32_t i : own) EXPECT_EQ(units.unit_of[source[i]], units.unit_of[source[own.front()]]);
      givers.insert(units.unit_of[source[own.front()]]);
    }
    EXPECT_EQ(givers.size(), 9);
    given_to_first.insert(units.unit_of[source[0]]);
  }
  EXPECT_EQ(given_to_first.size(), 9);  // each is missed with probability (8/9)^100 < 1e-5
}

TEST(UnitExchange, FewUnitsAreShiftedWithinThemselves) {
  const RowUnits units(std::vector<std::int32_t>{4, 4, 9, 4, 9, 9, 4, 9, 9, 9});  // not side by side
  const UnitExchange exchange(units, false, 0, stream);
  for (std::uint64_t b = 0; b < 20; ++b) {
    const auto source = draw(exchange, 10, b);
    EXPECT_TRUE(rearranges(source));
    for (const auto& own : units.rows) {
      const auto first = std::find(own.begin(), own.end(), source[own.front()]);
      ASSERT_NE(first, own.end());
      for (std::size_t j = 0; j < own.size(); ++j)
        EXPECT_EQ(source[own[j]], own[(static_cast<std::size_t>(first - own.begin()) + j) % own.size()]);
    }
  }
}

TEST(UnitExchange, ASeriesIsShiftedFarAndEveryShiftComesOnce) {
  const RowUnits series = RowUnits::one_series(50);
  const UnitExchange exchange(series, false, 8, stream);
  ASSERT_EQ(exchange.most_permutations(), 35);  // 8 … 42
  std::set<std::uint32_t> shifts;
  for (std::uint64_t b = 0; b < 35; ++b) shifts.insert(draw(exchange, 50, b)[0]);
  EXPECT_EQ(shifts.size(), 35);
  EXPECT_EQ(*shifts.begin(), 8);
  EXPECT_EQ(*shifts.rbegin(), 42);
}

}  // namespace
}  // namespace macmi::citest
