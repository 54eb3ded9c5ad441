#pragma once
#include <cstddef>

#include "maps/network/architecture.hpp"

namespace macmi::maps {

/// Products of small dense matrices, row after row. Rows start on a cache line and are filled up with zeros to a
/// multiple of 16 numbers (padded_width), so that no instruction set has a rest to treat apart. Every number is one
/// chain of fused multiply-adds over the inner dimension, first to last: vectors hold different columns, never parts of
/// one sum, so that results have the same bits on every instruction set and for any cut into rows.
inline constexpr std::size_t dense_padding = 16;
inline std::size_t padded_width(std::size_t count) {
  return (count + dense_padding - 1) / dense_padding * dense_padding;
}

/// out[r][c] = start[r][c] + Σ_k a[r][k] · b[k][c] for r < rows, k < inner, c < columns (padded). The entries of a lie
/// at a[r · a_row + k · a_step], so that a may be transposed. With start_stride 0 every row has the same start; start
/// may be out itself.
struct DenseProduct {
  std::size_t rows, inner, columns;
  const float* a;
  std::size_t a_row, a_step;
  const float* b;
  std::size_t b_stride;
  const float* start;
  std::size_t start_stride;
  float* out;
  std::size_t out_stride;
};
void add_product(const DenseProduct& product);

/// out[c] = start[c] + Σ_j factors[j] · rows[j][c].
void combine_rows(std::size_t columns, std::size_t count, const float* factors, const float* const* rows,
                  const float* start, float* out);

/// out[c] += factor · row[c].
void add_scaled(std::size_t columns, float factor, const float* row, float* out);

/// out[c] += Σ_r rows[r][c], first row to last.
void add_rows(std::size_t rows, std::size_t columns, const float* from, std::size_t stride, float* out);

/// values ← the activation of values, slope ← its derivative there.
void activate(Activation activation, std::size_t count, float* values, float* slope);

/// values ← values · slope.
void scale_by(std::size_t count, const float* slope, float* values);

}  // namespace macmi::maps
