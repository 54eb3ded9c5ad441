// Products of small weight matrices with rows of samples. A row holds one number per sample of a block of two vectors;
// a matrix of rows is a step's input, state or gates.
#if defined(MACMI_MAPS_GRU_TILE) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_MAPS_GRU_TILE
#undef MACMI_MAPS_GRU_TILE
#else
#define MACMI_MAPS_GRU_TILE
#endif

#include <hwy/highway.h>

#include "maps/gru/gru_kernel.hpp"
#include "maps/network/dense/vector_math-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::maps::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using base::HWY_NAMESPACE::FusedMulAdd;

HWY_INLINE std::size_t BlockSamples() {
  return 2 * hn::Lanes(FloatTag());
}

/// One row: the samples of a block.
struct Row {
  FloatVector low, high;
};

HWY_INLINE Row LoadRow(const float* from) {
  const FloatTag tag;
  return {hn::Load(tag, from), hn::Load(tag, from + hn::Lanes(tag))};
}
HWY_INLINE void StoreRow(const Row& row, float* to) {
  const FloatTag tag;
  hn::Store(row.low, tag, to);
  hn::Store(row.high, tag, to + hn::Lanes(tag));
}
HWY_INLINE Row EqualRow(float value) {
  const auto v = hn::Set(FloatTag(), value);
  return {v, v};
}
HWY_INLINE void AddScaled(Row& sum, float weight, const Row& row) {
  const auto w = hn::Set(FloatTag(), weight);
  sum.low = FusedMulAdd(w, row.low, sum.low);
  sum.high = FusedMulAdd(w, row.high, sum.high);
}

/// Four rows, eight vectors: as many sums as two units of latency 4 keep busy, and they leave registers for the rest.
struct Tile {
  Row a, b, c, d;
};

HWY_INLINE Tile EqualTile(const float* four) {
  return {EqualRow(four[0]), EqualRow(four[1]), EqualRow(four[2]), EqualRow(four[3])};
}
HWY_INLINE Tile LoadTile(const float* from) {
  const std::size_t s = BlockSamples();
  return {LoadRow(from), LoadRow(from + s), LoadRow(from + 2 * s), LoadRow(from + 3 * s)};
}
HWY_INLINE void StoreTile(const Tile& tile, float* to) {
  const std::size_t s = BlockSamples();
  StoreRow(tile.a, to);
  StoreRow(tile.b, to + s);
  StoreRow(tile.c, to + 2 * s);
  StoreRow(tile.d, to + 3 * s);
}

/// tile += W · rows, W packed as four weights for every row.
HWY_INLINE void AddProduct(Tile& tile, const float* weights, const float* rows, std::size_t count) {
  const std::size_t s = BlockSamples();
  for (std::size_t k = 0; k < count; ++k) {
    const Row row = LoadRow(rows + k * s);
    AddScaled(tile.a, weights[4 * k], row);
    AddScaled(tile.b, weights[4 * k + 1], row);
    AddScaled(tile.c, weights[4 * k + 2], row);
    AddScaled(tile.d, weights[4 * k + 3], row);
  }
}

template <class Function>
HWY_INLINE void StoreMapped(const Tile& tile, Function function, float* to) {
  const std::size_t s = BlockSamples();
  StoreRow({function(tile.a.low), function(tile.a.high)}, to);
  StoreRow({function(tile.b.low), function(tile.b.high)}, to + s);
  StoreRow({function(tile.c.low), function(tile.c.high)}, to + 2 * s);
  StoreRow({function(tile.d.low), function(tile.d.high)}, to + 3 * s);
}

/// Matrices of rows, one after the other in time.
struct Sequence {
  const float* rows;
  std::size_t stride;
};

/// sums[row][column][sample mod 32] += Σ_t left_t[row] ∘ right_t[column] over four rows and three columns: twelve sums,
/// the three of the right side and one of the left are sixteen registers. Every entry has as many partial sums as the
/// widest block has samples, on every instruction set, so that additions come in the same order on all; they are added
/// up only once all steps of all blocks are in. `sums` starts at the block's first sample.
HWY_INLINE void AddOuterThree(Sequence left, Sequence right, std::size_t steps, float* sums, std::size_t row_stride) {
  const FloatTag tag;
  const std::size_t lanes = hn::Lanes(tag), s = BlockSamples(), entry = gru_most_samples;
  struct Three {
    FloatVector x, y, z;
  };
  const auto load = [&](const float* from, std::size_t stride) HWY_ATTR {
    return Three{hn::Load(tag, from), hn::Load(tag, from + stride), hn::Load(tag, from + 2 * stride)};
  };
  const auto store = [&](const Three& sum, float* to) HWY_ATTR {
    hn::Store(sum.x, tag, to);
    hn::Store(sum.y, tag, to + entry);
    hn::Store(sum.z, tag, to + 2 * entry);
  };
  const auto add = [&](Three& sum, const float* l, const Three& r) HWY_ATTR {
    const auto value = hn::Load(tag, l);
    sum.x = FusedMulAdd(value, r.x, sum.x);
    sum.y = FusedMulAdd(value, r.y, sum.y);
    sum.z = FusedMulAdd(value, r.z, sum.z);
  };
  for (std::size_t half = 0; half < s; half += lanes, sums += lanes) {
    Three a = load(sums, entry), b = load(sums + row_stride, entry), c = load(sums + 2 * row_stride, entry),
          d = load(sums + 3 * row_stride, entry);
    for (std::size_t t = 0; t < steps; ++t) {
      const float* l = left.rows + t * left.stride + half;
      const Three r = load(right.rows + t * right.stride + half, s);
      add(a, l, r);
      add(b, l + s, r);
      add(c, l + 2 * s, r);
      add(d, l + 3 * s, r);
    }
    store(a, sums);
    store(b, sums + row_stride);
    store(c, sums + 2 * row_stride);
    store(d, sums + 3 * row_stride);
  }
}

/// The same for one column.
HWY_INLINE void AddOuterOne(Sequence left, Sequence right, std::size_t steps, float* sums, std::size_t row_stride) {
  Tile sum{LoadRow(sums), LoadRow(sums + row_stride), LoadRow(sums + 2 * row_stride), LoadRow(sums + 3 * row_stride)};
  const auto add = [](Row& to, const Row& l, const Row& r) HWY_ATTR {
    to.low = FusedMulAdd(l.low, r.low, to.low);
    to.high = FusedMulAdd(l.high, r.high, to.high);
  };
  for (std::size_t t = 0; t < steps; ++t) {
    const Tile l = LoadTile(left.rows + t * left.stride);
    const Row r = LoadRow(right.rows + t * right.stride);
    add(sum.a, l.a, r);
    add(sum.b, l.b, r);
    add(sum.c, l.c, r);
    add(sum.d, l.d, r);
  }
  StoreRow(sum.a, sums);
  StoreRow(sum.b, sums + row_stride);
  StoreRow(sum.c, sums + 2 * row_stride);
  StoreRow(sum.d, sums + 3 * row_stride);
}

HWY_INLINE void AddOuter(Sequence left, std::size_t rows, Sequence right, std::size_t columns, std::size_t steps,
                         float* sums) {
  const std::size_t s = BlockSamples(), row_stride = columns * gru_most_samples;
  for (std::size_t r = 0; r < rows; r += gru_tile) {
    const Sequence four{left.rows + r * s, left.stride};
    std::size_t c = 0;
    for (; c + 3 <= columns; c += 3)
      AddOuterThree(four, {right.rows + c * s, right.stride}, steps, sums + r * row_stride + c * gru_most_samples,
                    row_stride);
    for (; c < columns; ++c)
      AddOuterOne(four, {right.rows + c * s, right.stride}, steps, sums + r * row_stride + c * gru_most_samples,
                  row_stride);
  }
}

}  // namespace macmi::maps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
