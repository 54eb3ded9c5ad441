#pragma once
#include <gtest/gtest.h>

#include <bit>
#include <cmath>

#include "macmi/dataset.hpp"

namespace macmi::data {

/// Bit for bit; NaN stands for "missing" whatever its payload.
inline void expect_same(const Feature& a, const Feature& b) {
  EXPECT_EQ(a.name, b.name);
  EXPECT_EQ(a.steps, b.steps);
  EXPECT_EQ(a.channels, b.channels);
  ASSERT_EQ(a.columns.size(), b.columns.size());
  for (std::size_t c = 0; c < a.columns.size(); ++c) {
    const DataColumn &x = a.columns[c], &y = b.columns[c];
    EXPECT_EQ(x.name, y.name);
    EXPECT_STREQ(type_name(x.type), type_name(y.type)) << x.name;
    EXPECT_EQ(x.labels, y.labels) << x.name;
    EXPECT_EQ(x.codes, y.codes) << x.name;
    EXPECT_EQ(x.missing, y.missing) << x.name;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(x.scaling.center), std::bit_cast<std::uint64_t>(y.scaling.center)) << x.name;
    EXPECT_EQ(std::bit_cast<std::uint64_t>(x.scaling.scale), std::bit_cast<std::uint64_t>(y.scaling.scale)) << x.name;
    ASSERT_EQ(x.values.size(), y.values.size()) << x.name;
    for (std::size_t i = 0; i < x.values.size(); ++i) {
      if (std::isnan(x.values[i]) && std::isnan(y.values[i])) continue;
      ASSERT_EQ(std::bit_cast<std::uint64_t>(x.values[i]), std::bit_cast<std::uint64_t>(y.values[i]))
          << x.name << " " << i;
    }
  }
}

inline void expect_same(const Dataset& a, const Dataset& b) {
  EXPECT_EQ(a.rows, b.rows);
  expect_same(a.target, b.target);
  ASSERT_EQ(a.features.size(), b.features.size());
  for (std::size_t f = 0; f < a.features.size(); ++f) expect_same(a.features[f], b.features[f]);
  EXPECT_EQ(a.fingerprint(), b.fingerprint());
}

}  // namespace macmi::data
