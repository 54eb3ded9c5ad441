// Distances of a few points, in no order, and the one of any rank.
#if defined(MACMI_CITEST_FEW_DISTANCES) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_FEW_DISTANCES
#undef MACMI_CITEST_FEW_DISTANCES
#else
#define MACMI_CITEST_FEW_DISTANCES
#endif

#include <hwy/highway.h>

#include "base/vector/compress-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using base::HWY_NAMESPACE::Kept;

struct FewDistances {
  static constexpr std::size_t most = 96;
  HWY_ALIGN std::int32_t distance[most + 2 * hn::MaxLanes(Kept::Tag())];
  HWY_ALIGN std::int32_t nearer[most + 2 * hn::MaxLanes(Kept::Tag())];  ///< how many are nearer than each
  std::size_t size = 0;

  /// Compares all with all, without a branch that could not be predicted.
  void rank() {
    const Kept::Tag d;
    for (std::size_t c = 0; c < size; c += hn::Lanes(d)) {
      const auto own = hn::Load(d, distance + c);
      auto count = hn::Zero(d);
      for (std::size_t t = 0; t < size; ++t)
        count = hn::Sub(count, hn::VecFromMask(d, hn::Lt(hn::Set(d, distance[t]), own)));
      hn::Store(count, d, nearer + c);
    }
  }

  /// The smallest distance that holds `wanted` points, of which there must be as many. After rank().
  HWY_INLINE std::int32_t of_rank(std::uint32_t wanted) const {
    const Kept::Tag d;
    auto farthest = hn::Zero(d);
    for (std::size_t c = 0; c < size; c += hn::Lanes(d)) {
      const auto taken = hn::And(hn::Lt(hn::Load(d, nearer + c), hn::Set(d, static_cast<std::int32_t>(wanted))),
                                 hn::FirstN(d, size - c));
      farthest = hn::Max(farthest, hn::IfThenElseZero(taken, hn::Load(d, distance + c)));
    }
    return hn::GetLane(hn::MaxOfLanes(d, farthest));
  }

  HWY_INLINE std::uint32_t within(std::int32_t radius) const {
    const Kept::Tag d;
    std::size_t count = 0;
    for (std::size_t c = 0; c < size; c += hn::Lanes(d))
      count +=
          hn::CountTrue(d, hn::And(hn::Lt(hn::Load(d, distance + c), hn::Set(d, radius + 1)), hn::FirstN(d, size - c)));
    return static_cast<std::uint32_t>(count);
  }
};

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
