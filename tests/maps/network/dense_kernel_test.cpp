// Every product against loops of std::fma in the order that is promised: bit for bit, on every instruction set.
#include "maps/network/dense/dense_kernel.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/vector/aligned.hpp"
#include "maps/every_simd.hpp"
#include "small_network.hpp"

namespace macmi::maps {
namespace {

using base::RandomStream;
using testing::same_bits;
using Floats = base::AlignedVector<float>;

Floats random_numbers(std::size_t count, RandomStream& random) {
  const std::vector<float> drawn = testing::random_floats(count, random);
  return {drawn.begin(), drawn.end()};
}

void expect_product(std::size_t rows, std::size_t inner, std::size_t columns, bool transposed, bool shared_start,
                    RandomStream& random) {
  const std::size_t width = padded_width(columns), a_row = transposed ? 1 : inner + 3,
                    a_step = transposed ? rows + 2 : 1;
  const Floats a = random_numbers((rows + 2) * (inner + 3), random), b = random_numbers((inner + 1) * width, random),
               start = random_numbers(rows * width, random);
  Floats want(rows * width), got(rows * width, -1.0F);
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < width; ++c) {
      float sum = start[(shared_start ? 0 : r) * width + c];
      for (std::size_t k = 0; k < inner; ++k) sum = std::fma(a[r * a_row + k * a_step], b[k * width + c], sum);
      want[r * width + c] = sum;
    }
  testing::for_every_simd([&](const std::string& simd) {
    add_product({rows, inner, columns, a.data(), a_row, a_step, b.data(), width, start.data(), shared_start ? 0 : width,
                 got.data(), width});
    EXPECT_TRUE(same_bits(got, want)) << simd << ": " << rows << " x " << inner << " x " << columns;
    if (shared_start) return;
    Floats in_place = start;
    add_product({rows, inner, columns, a.data(), a_row, a_step, b.data(), width, in_place.data(), width,
                 in_place.data(), width});
    EXPECT_TRUE(same_bits(in_place, want)) << simd << ", in place";
  });
}

/// Rows around the tiles of 6, 4, 2 and 1; columns around one to seven vectors of sixteen.
TEST(DenseKernel, ProductsAreChainsOfFusedMultiplyAdds) {
  RandomStream random(base::StreamKey(1).with("products"));
  for (const std::size_t rows : {1, 2, 3, 5, 6, 7, 11, 13})
    for (const std::size_t columns : {1, 15, 16, 17, 33, 48, 64, 65, 100})
      for (const std::size_t inner : {0, 1, 19}) {
        expect_product(rows, inner, columns, false, true, random);
        expect_product(rows, inner, columns, true, false, random);
      }
}

TEST(DenseKernel, CombinesRowsInTheirOrder) {
  RandomStream random(base::StreamKey(2).with("rows"));
  for (const std::size_t columns : {16, 32, 48, 64, 80, 176})
    for (const std::size_t count : {0, 1, 7}) {
      const Floats weights = random_numbers(9 * columns, random), factors = random_numbers(count + 1, random),
                   start = random_numbers(columns, random);
      std::vector<const float*> rows;
      for (std::size_t j = 0; j < count; ++j) rows.push_back(weights.data() + (j * 4 % 9) * columns);
      Floats want = start, got(columns), added = start, summed = start;
      for (std::size_t j = 0; j < count; ++j)
        for (std::size_t c = 0; c < columns; ++c) want[c] = std::fma(factors[j], rows[j][c], want[c]);
      Floats sums = start;
      for (std::size_t r = 0; r < 9; ++r)
        for (std::size_t c = 0; c < columns; ++c) sums[c] += weights[r * columns + c];
      testing::for_every_simd([&](const std::string& simd) {
        combine_rows(columns, count, factors.data(), rows.data(), start.data(), got.data());
        EXPECT_TRUE(same_bits(got, want)) << simd;
        added = summed = start;
        for (std::size_t j = 0; j < count; ++j) add_scaled(columns, factors[j], rows[j], added.data());
        EXPECT_TRUE(same_bits(added, want)) << simd << ", one at a time";
        add_rows(9, columns, weights.data(), columns, summed.data());
        EXPECT_TRUE(same_bits(summed, sums)) << simd;
      });
    }
}

/// A zero that is left out and one that is added give the same bits: the surrogate skips masked inputs.
TEST(DenseKernel, RowsTimesZeroChangeNothing) {
  RandomStream random(base::StreamKey(3));
  const Floats weights = random_numbers(2 * 32, random), start = random_numbers(32, random);
  const float* rows[] = {weights.data(), weights.data() + 32};
  const float factors[] = {0.0F, 0.7F};
  Floats with(32), without(32);
  combine_rows(32, 2, factors, rows, start.data(), with.data());
  combine_rows(32, 1, factors + 1, rows + 1, start.data(), without.data());
  EXPECT_TRUE(same_bits(with, without));
}

TEST(DenseKernel, ActivationsAndSlopesEqualTheirFormulas) {
  RandomStream random(base::StreamKey(4).with("activations"));
  Floats x = random_numbers(512, random);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] *= i % 3 == 0 ? 20.0F : 1.0F;
  x[5] = std::nanf(""), x[6] = 0.0F, x[7] = 200.0F, x[8] = -200.0F;
  Floats first_values, first_slopes;
  testing::for_every_simd([&](const std::string& simd) {
    SCOPED_TRACE(simd);
    Floats values = x, slopes(x.size());
    activate(Activation::silu, x.size(), values.data(), slopes.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i])) {
        EXPECT_TRUE(std::isnan(values[i]) && std::isnan(slopes[i]));
        continue;
      }
      // The logistic function has a relative error of a few 1e-7; values pass it on, slopes are of the size of 1.
      const double at = x[i], s = 1 / (1 + std::exp(-at));
      EXPECT_NEAR(values[i], at * s, 1e-6 * std::fabs(at * s) + 1e-35) << at;
      EXPECT_NEAR(slopes[i], s * (1 + at * (1 - s)), 1e-6) << at;
    }
    if (first_values.empty()) first_values = values, first_slopes = slopes;
    values[5] = first_values[5], slopes[5] = first_slopes[5];  // NaN has many bits
    EXPECT_TRUE(same_bits(values, first_values));
    EXPECT_TRUE(same_bits(slopes, first_slopes));

    values = x;
    activate(Activation::relu, x.size(), values.data(), slopes.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      if (std::isnan(x[i])) {
        EXPECT_TRUE(std::isnan(values[i]));
        continue;
      }
      EXPECT_EQ(values[i], std::max(0.0F, x[i]));
      EXPECT_EQ(slopes[i], x[i] > 0 ? 1.0F : 0.0F);
    }
    Floats scaled = x;
    scale_by(x.size(), first_slopes.data(), scaled.data());
    for (std::size_t i = 0; i < x.size(); ++i)
      if (!std::isnan(x[i])) {
        EXPECT_EQ(scaled[i], x[i] * first_slopes[i]);
      }
  });
}

}  // namespace
}  // namespace macmi::maps
