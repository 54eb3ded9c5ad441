// x of 64 permutations, and distances in it.
#if defined(MACMI_CITEST_LANE_ROWS) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_LANE_ROWS
#undef MACMI_CITEST_LANE_ROWS
#else
#define MACMI_CITEST_LANE_ROWS
#endif

#include <hwy/cache_control.h>
#include <hwy/highway.h>

#include <algorithm>
#include <cstdlib>

#include "citest/engines/lanes/lane_kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
using Tag = hn::ScalableTag<T>;

/// Vectors of T that one vector of bytes has lanes for.
template <class T>
inline constexpr std::size_t per_group = sizeof(T);

/// x of every lane, for one sample i of one batch.
template <class T>
struct LaneRows {
  const T* rows = nullptr;      ///< of the batch: [sample][column][lane]
  const T* category = nullptr;  ///< [sample][lane], or nothing
  std::size_t columns = 0;
  std::size_t i = 0;
  T apart = 0;  ///< the distance between different categories

  const T* row(std::size_t j) const { return rows + j * columns * batch_lanes; }

  /// Rows lie scattered in memory, in the order of the lists.
  void prefetch(std::size_t j, std::size_t lane) const { hwy::Prefetch(row(j) + lane); }

  std::int32_t distance(std::size_t j, std::size_t lane) const {
    if (category && category[j * batch_lanes + lane] != category[i * batch_lanes + lane]) return apart;
    std::int32_t d = 0;
    for (std::size_t c = 0; c < columns; ++c)
      d = std::max<std::int32_t>(d, std::abs(row(j)[c * batch_lanes + lane] - row(i)[c * batch_lanes + lane]));
    return d;
  }

  /// The same for one vector of lanes. `own` is x_i in those lanes when there is one column and no category.
  template <bool one_column>
  HWY_INLINE hn::Vec<Tag<T>> distances(hn::Vec<Tag<T>> own, std::size_t j, std::size_t lane) const {
    const Tag<T> tag;
    if constexpr (one_column) {
      return hn::Abs(hn::Sub(hn::Load(tag, row(j) + lane), own));
    } else {
      auto d = hn::Zero(tag);
      for (std::size_t c = 0; c < columns; ++c)
        d = hn::Max(d, hn::Abs(hn::Sub(hn::Load(tag, row(j) + c * batch_lanes + lane),
                                       hn::Load(tag, row(i) + c * batch_lanes + lane))));
      if (!category) return d;
      const auto same =
          hn::Eq(hn::Load(tag, category + j * batch_lanes + lane), hn::Load(tag, category + i * batch_lanes + lane));
      return hn::IfThenElse(same, d, hn::Set(tag, apart));
    }
  }
  template <bool one_column>
  HWY_INLINE hn::Vec<Tag<T>> own(std::size_t lane) const {
    if constexpr (one_column) return hn::Load(Tag<T>(), row(i) + lane);
    return hn::Zero(Tag<T>());
  }
};

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
