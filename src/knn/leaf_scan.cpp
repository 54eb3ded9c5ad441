#include "knn/leaf_scan.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "knn/leaf_scan.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace macmi::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// In many dimensions most vectors are out after the first few: look every `stride` dimensions.
constexpr std::size_t early_exit_stride = 4;

std::size_t DistancesBelow(const double* rows, std::size_t dimensions, std::size_t length, const double* query,
                           double bound, double* out) {
  const hn::ScalableTag<double> tag;
  const auto limit = hn::Set(tag, bound);
  std::size_t found = 0;
  for (std::size_t p = 0; p < length; p += hn::Lanes(tag)) {
    auto distance = hn::Zero(tag);
    for (std::size_t d = 0; d < dimensions; ++d) {
      const auto difference = hn::Sub(hn::Set(tag, query[d]), hn::LoadU(tag, rows + d * length + p));
      distance = hn::Max(distance, hn::Abs(difference));
      if (d % early_exit_stride == early_exit_stride - 1 && hn::AllFalse(tag, hn::Lt(distance, limit))) break;
    }
    const auto below = hn::Lt(distance, limit);
    if (!hn::AllFalse(tag, below)) found += hn::CompressStore(distance, below, tag, out + found);
  }
  return found;
}

template <class T>
std::size_t CountInBox(const T* rows, std::size_t dimensions, std::size_t length, const T* low, const T* width) {
  const hn::ScalableTag<T> tag;
  std::size_t count = 0;
  for (std::size_t p = 0; p < length; p += hn::Lanes(tag)) {
    // value - low wraps around below low, so one unsigned comparison tests both ends: min(v, w) == v.
    const auto inside = [&](std::size_t d) {
      const auto offset = hn::Sub(hn::LoadU(tag, rows + d * length + p), hn::Set(tag, low[d]));
      return hn::Eq(hn::Min(offset, hn::Set(tag, width[d])), offset);
    };
    auto mask = inside(0);
    for (std::size_t d = 1; d < dimensions; ++d) {
      mask = hn::And(mask, inside(d));
      if (d % early_exit_stride == early_exit_stride - 1 && hn::AllFalse(tag, mask)) break;
    }
    count += hn::CountTrue(tag, mask);
  }
  return count;
}

std::size_t CountInBox16(const std::uint16_t* rows, std::size_t dimensions, std::size_t length,
                         const std::uint16_t* low, const std::uint16_t* width) {
  return CountInBox(rows, dimensions, length, low, width);
}
std::size_t CountInBox32(const std::uint32_t* rows, std::size_t dimensions, std::size_t length,
                         const std::uint32_t* low, const std::uint32_t* width) {
  return CountInBox(rows, dimensions, length, low, width);
}

}  // namespace macmi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi {

HWY_EXPORT(DistancesBelow);
HWY_EXPORT(CountInBox16);
HWY_EXPORT(CountInBox32);

std::size_t distances_below(const double* rows, std::size_t dimensions, std::size_t length, const double* query,
                            double bound, double* out) {
  return HWY_DYNAMIC_DISPATCH(DistancesBelow)(rows, dimensions, length, query, bound, out);
}
std::size_t count_in_box(const std::uint16_t* rows, std::size_t dimensions, std::size_t length,
                         const std::uint16_t* low, const std::uint16_t* width) {
  return HWY_DYNAMIC_DISPATCH(CountInBox16)(rows, dimensions, length, low, width);
}
std::size_t count_in_box(const std::uint32_t* rows, std::size_t dimensions, std::size_t length,
                         const std::uint32_t* low, const std::uint32_t* width) {
  return HWY_DYNAMIC_DISPATCH(CountInBox32)(rows, dimensions, length, low, width);
}

}  // namespace macmi
#endif
