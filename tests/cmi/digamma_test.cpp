#include "cmi/digamma.hpp"

#include <gtest/gtest.h>

#include <cmath>

namespace macmi::estimation {
namespace {

TEST(Digamma, IsHarmonicNumbersMinusEuler) {
  // ψ(m) = H_{m-1} − γ (Abramowitz & Stegun 6.3.2), summed in extended precision.
  const long double euler = 0.577215664901532860606512090082402431L;
  long double harmonic = 0;
  const std::vector<double> table = digamma_table(100000);
  for (std::size_t m = 1; m < table.size(); ++m) {
    ASSERT_NEAR(table[m], static_cast<double>(harmonic - euler), 2e-14) << m;
    harmonic += 1.0L / static_cast<long double>(m);
  }
  EXPECT_TRUE(std::isnan(table[0]));
}

TEST(Digamma, HalfIntegerClosedForm) {
  EXPECT_NEAR(digamma(0.5), -0.577215664901532861 - 2 * std::log(2.0), 1e-14);  // Abramowitz & Stegun 6.3.3
}

}  // namespace
}  // namespace macmi::estimation
