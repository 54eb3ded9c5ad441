#include "knn/leaf_scan.hpp"

#include <initializer_list>

#ifndef MACMI_COMPRESS_FOUR
#define MACMI_COMPRESS_FOUR
namespace macmi::knn {

/// For every subset of four lanes, its lanes moved to the front, as pairs of 32-bit halves.
struct CompressFour {
  alignas(32) std::uint32_t order[16][8] = {};
  std::uint8_t count[16] = {};
  constexpr CompressFour() {
    for (unsigned subset = 0; subset < 16; ++subset) {
      std::size_t place = 0;
      for (const bool wanted : {true, false})
        for (std::size_t lane = 0; lane < 4; ++lane) {
          if (((subset >> lane & 1u) != 0) != wanted) continue;
          order[subset][2 * place] = static_cast<std::uint32_t>(2 * lane);
          order[subset][2 * place + 1] = static_cast<std::uint32_t>(2 * lane + 1);
          ++place;
          count[subset] = static_cast<std::uint8_t>(count[subset] + (wanted ? 1 : 0));
        }
    }
  }
};
inline constexpr CompressFour compress_four;

}  // namespace macmi::knn
#endif

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "knn/leaf_scan.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace macmi::knn::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// Max-norm distances from the query to one vector of points. A compile-time number of dimensions (0: any) keeps the
/// query in registers.
template <std::size_t Fixed, class T>
class Distance {
  static constexpr hn::ScalableTag<T> tag{};
  using V = hn::Vec<decltype(tag)>;

 public:
  Distance(const T* rows, std::size_t dimensions, std::size_t length, const T* query)
      : rows_(rows), dimensions_(dimensions), length_(length), query_(query) {
    for (std::size_t d = 0; d < Fixed; ++d) centre_[d] = hn::Set(tag, query[d]);
  }
  HWY_INLINE V operator()(std::size_t p) const {
    V result = hn::Zero(tag);
    if constexpr (Fixed > 0) {
      for (std::size_t d = 0; d < Fixed; ++d) result = hn::Max(result, along(d, p, centre_[d]));
    } else {
      for (std::size_t d = 0; d < dimensions_; ++d) result = hn::Max(result, along(d, p, hn::Set(tag, query_[d])));
    }
    return result;
  }

 private:
  HWY_INLINE V along(std::size_t d, std::size_t p, V centre) const {
    return hn::Abs(hn::Sub(centre, hn::LoadU(tag, rows_ + d * length_ + p)));
  }
  const T* rows_;
  std::size_t dimensions_, length_;
  const T* query_;
  V centre_[Fixed > 0 ? Fixed : 1];
};

/// Appends the lanes below `limit`. hn::CompressStore does the same, but for four lanes Highway 1.0.3 under GCC copies
/// its permutation table to the stack at every call, which took half of the whole search; hence a table of our own.
template <class V>
HWY_INLINE std::size_t AppendBelow(V values, V limit, double* out) {
  const hn::DFromV<V> tag;
  const auto below = hn::Lt(values, limit);
  if constexpr (hn::MaxLanes(hn::DFromV<V>()) != 4) {
    return hn::CompressStore(values, below, tag, out);
  } else {
    const hn::Repartition<std::uint32_t, decltype(tag)> halves;
    std::uint8_t bits[8] = {};
    hn::StoreMaskBits(tag, below, bits);
    const auto order = hn::SetTableIndices(halves, compress_four.order[bits[0]]);
    hn::StoreU(hn::BitCast(tag, hn::TableLookupLanes(hn::BitCast(halves, values), order)), tag, out);
    return compress_four.count[bits[0]];
  }
}

template <std::size_t Fixed>
HWY_INLINE std::size_t ScanLeaf(const LeafRows& leaf, const double* query, const float* rough_query, double bound,
                                float rough_bound, double* out) {
  const hn::ScalableTag<float> rough_tag;
  const hn::ScalableTag<double> tag;
  const Distance<Fixed, float> rough(leaf.rough, leaf.dimensions, leaf.length, rough_query);
  const Distance<Fixed, double> exact(leaf.exact, leaf.dimensions, leaf.length, query);
  const auto rough_limit = hn::Set(rough_tag, rough_bound);
  const auto limit = hn::Set(tag, bound);
  std::size_t found = 0;
  for (std::size_t p = 0; p < leaf.length; p += hn::Lanes(rough_tag)) {
    if (hn::AllFalse(rough_tag, hn::Lt(rough(p), rough_limit))) continue;
    for (std::size_t half = 0; half < hn::Lanes(rough_tag); half += hn::Lanes(tag))
      found += AppendBelow(exact(p + half), limit, out + found);
  }
  return found;
}

std::size_t DistancesBelow(const LeafRows& leaf, const double* query, const float* rough_query, double bound,
                           float rough_bound, double* out) {
  switch (leaf.dimensions) {
    case 2:
      return ScanLeaf<2>(leaf, query, rough_query, bound, rough_bound, out);
    case 3:
      return ScanLeaf<3>(leaf, query, rough_query, bound, rough_bound, out);
    case 4:
      return ScanLeaf<4>(leaf, query, rough_query, bound, rough_bound, out);
    case 5:
      return ScanLeaf<5>(leaf, query, rough_query, bound, rough_bound, out);
    case 6:
      return ScanLeaf<6>(leaf, query, rough_query, bound, rough_bound, out);
    default:
      return ScanLeaf<0>(leaf, query, rough_query, bound, rough_bound, out);
  }
}

/// How many of `count` values are below `limit`.
std::size_t CountBelow(const double* values, std::size_t count, double limit) {
  const hn::ScalableTag<double> tag;
  const hn::RebindToSigned<decltype(tag)> signed_tag;
  const auto bound = hn::Set(tag, limit);
  auto sum = hn::Zero(signed_tag);
  std::size_t p = 0;
  for (; p + hn::Lanes(tag) <= count; p += hn::Lanes(tag))
    sum = hn::Sub(sum, hn::BitCast(signed_tag, hn::VecFromMask(tag, hn::Lt(hn::LoadU(tag, values + p), bound))));
  std::size_t below = static_cast<std::size_t>(hn::GetLane(hn::SumOfLanes(signed_tag, sum)));
  for (; p < count; ++p) below += values[p] < limit;
  return below;
}

/// The largest of `count` values that is below `limit`; 0 when there is none.
double LargestBelow(const double* values, std::size_t count, double limit) {
  const hn::ScalableTag<double> tag;
  const auto bound = hn::Set(tag, limit);
  auto largest = hn::Zero(tag);
  std::size_t p = 0;
  for (; p + hn::Lanes(tag) <= count; p += hn::Lanes(tag)) {
    const auto value = hn::LoadU(tag, values + p);
    largest = hn::Max(largest, hn::IfThenElseZero(hn::Lt(value, bound), value));
  }
  double result = hn::GetLane(hn::MaxOfLanes(tag, largest));
  for (; p < count; ++p)
    if (values[p] < limit && values[p] > result) result = values[p];
  return result;
}

/// A compile-time number of dimensions (0: any) keeps the box in registers.
template <std::size_t Fixed, class T>
HWY_INLINE std::size_t CountInBoxOf(const T* rows, std::size_t dimensions, std::size_t length, const T* low,
                                    const T* width) {
  const hn::ScalableTag<T> tag;
  using V = hn::Vec<decltype(tag)>;
  V lows[Fixed > 0 ? Fixed : 1], widths[Fixed > 0 ? Fixed : 1];
  for (std::size_t d = 0; d < Fixed; ++d) {
    lows[d] = hn::Set(tag, low[d]);
    widths[d] = hn::Set(tag, width[d]);
  }
  // value - low wraps around below low, so one unsigned comparison tests both ends: min(v, w) == v.
  const auto inside = [&](std::size_t d, std::size_t p, V from, V size) HWY_ATTR {
    const V offset = hn::Sub(hn::LoadU(tag, rows + d * length + p), from);
    return hn::Eq(hn::Min(offset, size), offset);
  };
  std::size_t count = 0;
  for (std::size_t p = 0; p < length; p += hn::Lanes(tag)) {
    if constexpr (Fixed > 0) {
      auto mask = inside(0, p, lows[0], widths[0]);
      for (std::size_t d = 1; d < Fixed; ++d) mask = hn::And(mask, inside(d, p, lows[d], widths[d]));
      count += hn::CountTrue(tag, mask);
    } else {
      auto mask = inside(0, p, hn::Set(tag, low[0]), hn::Set(tag, width[0]));
      for (std::size_t d = 1; d < dimensions && !hn::AllFalse(tag, mask); ++d)
        mask = hn::And(mask, inside(d, p, hn::Set(tag, low[d]), hn::Set(tag, width[d])));
      count += hn::CountTrue(tag, mask);
    }
  }
  return count;
}

template <class T>
HWY_INLINE std::size_t CountInBox(const T* rows, std::size_t dimensions, std::size_t length, const T* low,
                                  const T* width) {
  switch (dimensions) {
    case 2:
      return CountInBoxOf<2>(rows, dimensions, length, low, width);
    case 3:
      return CountInBoxOf<3>(rows, dimensions, length, low, width);
    case 4:
      return CountInBoxOf<4>(rows, dimensions, length, low, width);
    case 5:
      return CountInBoxOf<5>(rows, dimensions, length, low, width);
    default:
      return CountInBoxOf<0>(rows, dimensions, length, low, width);
  }
}

std::size_t CountInBox16(const std::uint16_t* rows, std::size_t dimensions, std::size_t length,
                         const std::uint16_t* low, const std::uint16_t* width) {
  return CountInBox(rows, dimensions, length, low, width);
}
std::size_t CountInBox32(const std::uint32_t* rows, std::size_t dimensions, std::size_t length,
                         const std::uint32_t* low, const std::uint32_t* width) {
  return CountInBox(rows, dimensions, length, low, width);
}

}  // namespace macmi::knn::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi::knn {

HWY_EXPORT(DistancesBelow);
HWY_EXPORT(CountBelow);
HWY_EXPORT(LargestBelow);
HWY_EXPORT(CountInBox16);
HWY_EXPORT(CountInBox32);

std::size_t distances_below(const LeafRows& leaf, const double* query, const float* rough_query, double bound,
                            float rough_bound, double* out) {
  return HWY_DYNAMIC_DISPATCH(DistancesBelow)(leaf, query, rough_query, bound, rough_bound, out);
}
std::size_t count_below(const double* values, std::size_t count, double limit) {
  return HWY_DYNAMIC_DISPATCH(CountBelow)(values, count, limit);
}
double largest_below(const double* values, std::size_t count, double limit) {
  return HWY_DYNAMIC_DISPATCH(LargestBelow)(values, count, limit);
}
std::size_t count_in_box(const std::uint16_t* rows, std::size_t dimensions, std::size_t length,
                         const std::uint16_t* low, const std::uint16_t* width) {
  return HWY_DYNAMIC_DISPATCH(CountInBox16)(rows, dimensions, length, low, width);
}
std::size_t count_in_box(const std::uint32_t* rows, std::size_t dimensions, std::size_t length,
                         const std::uint32_t* low, const std::uint32_t* width) {
  return HWY_DYNAMIC_DISPATCH(CountInBox32)(rows, dimensions, length, low, width);
}

}  // namespace macmi::knn
#endif
