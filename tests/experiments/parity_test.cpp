// The five-bit parity cube has the parity that it claims, and hides it from single coordinates and pairs of them.
#include "experiments/simulations/parity.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "macmi/error.hpp"

namespace macmi::experiments {
namespace {

constexpr std::size_t n = 4000;

double mean_product(const SimulatedTable& table, std::initializer_list<std::size_t> columns) {
  double sum = 0;
  for (std::size_t i = 0; i < n; ++i) {
    double product = table.columns.back()[i] > 0 ? 1 : -1;
    for (const std::size_t c : columns) product *= table.columns[c][i] > 0 ? 1 : -1;
    sum += product;
  }
  return sum / n;
}

/// A mean of 4,000 signs has a standard error of 0.016; a sign is wrong in 4 of 10,000 samples (0.3 around ±1).
TEST(ParityCube, OnlyAllFiveTellTheClass) {
  const SimulatedTable table = parity_cube(30, n, 0.3, 1);
  ASSERT_EQ(table.columns.size(), 31u);
  EXPECT_GT(mean_product(table, {0, 1, 2, 3, 4}), 0.98);
  for (std::size_t a = 0; a < parity_bits; ++a)
    for (std::size_t b = 0; b < a; ++b) {
      EXPECT_LT(std::abs(mean_product(table, {a})), 0.08);
      EXPECT_LT(std::abs(mean_product(table, {a, b})), 0.08);
    }
  EXPECT_GT(mean_product(table, {5, 6, 7, 8, 9}), 0.85);  // copies
  EXPECT_LT(std::abs(mean_product(table, {20, 21, 22, 23, 24})), 0.08);
}

TEST(ParityCube, SameForTheSameSeedAndRefusesFewFeatures) {
  EXPECT_EQ(parity_cube(20, 50, 0.3, 3).columns, parity_cube(20, 50, 0.3, 3).columns);
  EXPECT_NE(parity_cube(20, 50, 0.3, 3).columns, parity_cube(20, 50, 0.3, 4).columns);
  EXPECT_THROW(parity_cube(19, 50, 0.3, 3), InputError);
}

}  // namespace
}  // namespace macmi::experiments
