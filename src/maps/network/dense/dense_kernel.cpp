#include "maps/network/dense/dense_kernel.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "maps/network/dense/dense_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "maps/network/dense/vector_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::maps::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using base::HWY_NAMESPACE::FusedMulAdd;

/// Rows × Vectors sums in registers, over the whole inner dimension.
template <int Rows, int Vectors>
HWY_INLINE void SumTile(const DenseProduct& p, std::size_t row, std::size_t column) {
  const FloatTag tag;
  const std::size_t lanes = hn::Lanes(tag);
  FloatVector sum[Rows][Vectors];
  const float* start = p.start + row * p.start_stride + column;
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v)
      sum[r][v] =
          hn::Load(tag, start + static_cast<std::size_t>(r) * p.start_stride + static_cast<std::size_t>(v) * lanes);
  const float* a = p.a + row * p.a_row;
  const float* b = p.b + column;
  for (std::size_t k = 0; k < p.inner; ++k, a += p.a_step, b += p.b_stride) {
    FloatVector right[Vectors];
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v) right[v] = hn::Load(tag, b + static_cast<std::size_t>(v) * lanes);
#pragma GCC unroll 8
    for (int r = 0; r < Rows; ++r) {
      const auto left = hn::Set(tag, a[static_cast<std::size_t>(r) * p.a_row]);
#pragma GCC unroll 8
      for (int v = 0; v < Vectors; ++v) sum[r][v] = FusedMulAdd(left, right[v], sum[r][v]);
    }
  }
  float* out = p.out + row * p.out_stride + column;
#pragma GCC unroll 8
  for (int r = 0; r < Rows; ++r)
#pragma GCC unroll 8
    for (int v = 0; v < Vectors; ++v)
      hn::Store(sum[r][v], tag, out + static_cast<std::size_t>(r) * p.out_stride + static_cast<std::size_t>(v) * lanes);
}

template <int Vectors>
void SumColumns(const DenseProduct& p, std::size_t column) {
  const std::size_t rows = p.rows;
  std::size_t row = 0;
  for (; row + 6 <= rows; row += 6) SumTile<6, Vectors>(p, row, column);
  if (row + 4 <= rows) SumTile<4, Vectors>(p, row, column), row += 4;
  if (row + 2 <= rows) SumTile<2, Vectors>(p, row, column), row += 2;
  if (row < rows) SumTile<1, Vectors>(p, row, column);
}

/// As many sums as there are registers for: 6 × 4 of 32 with AVX-512, 6 × 2 of 16 elsewhere.
void AddProductOf(const DenseProduct& p) {
  const std::size_t lanes = hn::Lanes(FloatTag()), vectors = padded_width(p.columns) / lanes;
  std::size_t v = 0;
  if (lanes == 16) {
    for (; v + 4 <= vectors; v += 4) SumColumns<4>(p, v * lanes);
    if (v + 3 == vectors) return SumColumns<3>(p, v * lanes);
  }
  for (; v + 2 <= vectors; v += 2) SumColumns<2>(p, v * lanes);
  if (v < vectors) SumColumns<1>(p, v * lanes);
}

template <class Body>
HWY_INLINE void ForVectors(std::size_t count, Body body) {
  for (std::size_t i = 0; i < count; i += hn::Lanes(FloatTag())) body(i);
}

/// Four vectors of sums at a time.
void CombineRows(std::size_t columns, std::size_t count, const float* factors, const float* const* rows,
                 const float* start, float* out) {
  const FloatTag tag;
  const std::size_t lanes = hn::Lanes(tag);
  std::size_t i = 0;
  for (; i + 4 * lanes <= columns; i += 4 * lanes) {
    auto a = hn::Load(tag, start + i), b = hn::Load(tag, start + i + lanes);
    auto c = hn::Load(tag, start + i + 2 * lanes), d = hn::Load(tag, start + i + 3 * lanes);
    for (std::size_t j = 0; j < count; ++j) {
      const auto f = hn::Set(tag, factors[j]);
      const float* row = rows[j] + i;
      a = FusedMulAdd(f, hn::Load(tag, row), a);
      b = FusedMulAdd(f, hn::Load(tag, row + lanes), b);
      c = FusedMulAdd(f, hn::Load(tag, row + 2 * lanes), c);
      d = FusedMulAdd(f, hn::Load(tag, row + 3 * lanes), d);
    }
    hn::Store(a, tag, out + i);
    hn::Store(b, tag, out + i + lanes);
    hn::Store(c, tag, out + i + 2 * lanes);
    hn::Store(d, tag, out + i + 3 * lanes);
  }
  for (; i < columns; i += lanes) {
    auto sum = hn::Load(tag, start + i);
    for (std::size_t j = 0; j < count; ++j)
      sum = FusedMulAdd(hn::Set(tag, factors[j]), hn::Load(tag, rows[j] + i), sum);
    hn::Store(sum, tag, out + i);
  }
}

void AddScaled(std::size_t columns, float factor, const float* row, float* out) {
  const FloatTag tag;
  const auto f = hn::Set(tag, factor);
  ForVectors(columns, [&](std::size_t i) HWY_ATTR {
    hn::Store(FusedMulAdd(f, hn::Load(tag, row + i), hn::Load(tag, out + i)), tag, out + i);
  });
}

void AddRows(std::size_t rows, std::size_t columns, const float* from, std::size_t stride, float* out) {
  const FloatTag tag;
  ForVectors(columns, [&](std::size_t i) HWY_ATTR {
    auto sum = hn::Load(tag, out + i);
    for (std::size_t r = 0; r < rows; ++r) sum = hn::Add(sum, hn::Load(tag, from + r * stride + i));
    hn::Store(sum, tag, out + i);
  });
}

/// SiLU: x σ(x), with slope σ(x) (1 + x (1 − σ(x))).
void ActivateSilu(std::size_t count, float* values, float* slope) {
  const FloatTag tag;
  const auto one = hn::Set(tag, 1.0f);
  ForVectors(count, [&](std::size_t i) HWY_ATTR {
    const auto x = hn::Load(tag, values + i), s = Sigmoid(x);
    const auto value = hn::Mul(x, s);
    hn::Store(value, tag, values + i);
    hn::Store(FusedMulAdd(value, hn::Sub(one, s), s), tag, slope + i);
  });
}

void ActivateRelu(std::size_t count, float* values, float* slope) {
  const FloatTag tag;
  ForVectors(count, [&](std::size_t i) HWY_ATTR {
    const auto x = hn::Load(tag, values + i);
    const auto positive = hn::Gt(x, hn::Zero(tag));
    hn::Store(hn::IfThenElse(hn::Lt(x, hn::Zero(tag)), hn::Zero(tag), x), tag, values + i);  // NaN stays
    hn::Store(hn::IfThenElseZero(positive, hn::Set(tag, 1.0f)), tag, slope + i);
  });
}

void ScaleBy(std::size_t count, const float* slope, float* values) {
  const FloatTag tag;
  ForVectors(count, [&](std::size_t i) HWY_ATTR {
    hn::Store(hn::Mul(hn::Load(tag, values + i), hn::Load(tag, slope + i)), tag, values + i);
  });
}

}  // namespace macmi::maps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi::maps {

HWY_EXPORT(AddProductOf);
HWY_EXPORT(CombineRows);
HWY_EXPORT(AddScaled);
HWY_EXPORT(AddRows);
HWY_EXPORT(ActivateSilu);
HWY_EXPORT(ActivateRelu);
HWY_EXPORT(ScaleBy);

void add_product(const DenseProduct& product) {
  HWY_DYNAMIC_DISPATCH(AddProductOf)(product);
}
void combine_rows(std::size_t columns, std::size_t count, const float* factors, const float* const* rows,
                  const float* start, float* out) {
  HWY_DYNAMIC_DISPATCH(CombineRows)(columns, count, factors, rows, start, out);
}
void add_scaled(std::size_t columns, float factor, const float* row, float* out) {
  HWY_DYNAMIC_DISPATCH(AddScaled)(columns, factor, row, out);
}
void add_rows(std::size_t rows, std::size_t columns, const float* from, std::size_t stride, float* out) {
  HWY_DYNAMIC_DISPATCH(AddRows)(rows, columns, from, stride, out);
}
void activate(Activation activation, std::size_t count, float* values, float* slope) {
  if (activation == Activation::silu)
    HWY_DYNAMIC_DISPATCH(ActivateSilu)(count, values, slope);
  else
    HWY_DYNAMIC_DISPATCH(ActivateRelu)(count, values, slope);
}
void scale_by(std::size_t count, const float* slope, float* values) {
  HWY_DYNAMIC_DISPATCH(ScaleBy)(count, slope, values);
}

}  // namespace macmi::maps
#endif
