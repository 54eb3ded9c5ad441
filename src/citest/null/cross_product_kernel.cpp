#include "citest/null/cross_product_kernel.hpp"

#include <algorithm>

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "citest/null/cross_product_kernel.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#ifndef MACMI_CITEST_CROSS_PRODUCTS
#define MACMI_CITEST_CROSS_PRODUCTS
namespace macmi::citest {

/// The side with more columns lies in vectors, the other one is a column at a time. The wide row of sample i is
/// wide_row[i], or i where there is none; the narrow one likewise.
struct CrossTask {
  const double *wide, *narrow;
  std::size_t wide_columns, narrow_columns;
  const std::uint32_t *wide_row, *narrow_row;
  double* sums;  ///< [narrow column][wide column]
};

/// Samples whose rows stay in the cache while all pairs of columns take them.
inline constexpr std::size_t samples_at_once = 256;

}  // namespace macmi::citest
#endif

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Doubles = hn::ScalableTag<double>;

/// Adds samples begin … end-1 to `vectors` vectors of sums and the `rest` sums after them, all of one narrow column.
template <std::size_t vectors>
HWY_INLINE void AddTile(const CrossTask& t, std::size_t begin, std::size_t end, std::size_t wide, std::size_t narrow,
                        std::size_t rest) {
  const Doubles tag;
  const std::size_t lanes = hn::Lanes(tag);
  double* sums = t.sums + narrow * t.wide_columns + wide;
  double* last = sums + vectors * lanes;
  hn::Vec<Doubles> sum[vectors == 0 ? 1 : vectors];
  for (std::size_t v = 0; v < vectors; ++v) sum[v] = hn::LoadU(tag, sums + v * lanes);
  for (std::size_t i = begin; i < end; ++i) {
    const double* row = t.wide + (t.wide_row ? t.wide_row[i] : i) * t.wide_columns + wide;
    const double other = t.narrow[(t.narrow_row ? t.narrow_row[i] : i) * t.narrow_columns + narrow];
    const auto all = hn::Set(tag, other);
    for (std::size_t v = 0; v < vectors; ++v) sum[v] = hn::Add(sum[v], hn::Mul(hn::LoadU(tag, row + v * lanes), all));
    for (std::size_t s = 0; s < rest; ++s) last[s] += row[vectors * lanes + s] * other;
  }
  for (std::size_t v = 0; v < vectors; ++v) hn::StoreU(sum[v], tag, sums + v * lanes);
}

void AddCrossProducts(const CrossTask& t, std::size_t n) {
  const std::size_t lanes = hn::Lanes(Doubles());
  for (std::size_t begin = 0; begin < n; begin += samples_at_once) {
    const std::size_t end = std::min(n, begin + samples_at_once);
    for (std::size_t narrow = 0; narrow < t.narrow_columns; ++narrow) {
      std::size_t wide = 0;
      for (; wide + 4 * lanes <= t.wide_columns; wide += 4 * lanes) AddTile<4>(t, begin, end, wide, narrow, 0);
      const std::size_t left = t.wide_columns - wide, rest = left % lanes;
      if (left / lanes == 3) AddTile<3>(t, begin, end, wide, narrow, rest);
      if (left / lanes == 2) AddTile<2>(t, begin, end, wide, narrow, rest);
      if (left / lanes == 1) AddTile<1>(t, begin, end, wide, narrow, rest);
      if (left / lanes == 0 && rest > 0) AddTile<0>(t, begin, end, wide, narrow, rest);
    }
  }
}

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi::citest {

HWY_EXPORT(AddCrossProducts);

std::vector<double> cross_products(const CrossFactors& f, std::span<const std::uint32_t> source) {
  std::vector<double> sums(f.p * f.q);
  if (f.p < f.q) {  // the wide side is y, and the sums lie as they should
    HWY_DYNAMIC_DISPATCH(AddCrossProducts)({f.y, f.x, f.q, f.p, nullptr, source.data(), sums.data()}, source.size());
    return sums;
  }
  HWY_DYNAMIC_DISPATCH(AddCrossProducts)({f.x, f.y, f.p, f.q, source.data(), nullptr, sums.data()}, source.size());
  std::vector<double> turned(sums.size());
  for (std::size_t a = 0; a < f.p; ++a)
    for (std::size_t b = 0; b < f.q; ++b) turned[a * f.q + b] = sums[b * f.p + a];
  return turned;
}

}  // namespace macmi::citest
#endif
