// How many samples lie within the radius of one sample in (x, z), (y, z) and z, for 64 permutations of x at once; and
// the terms of the statistic that follow.
#if defined(MACMI_CITEST_LANE_COUNT) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_LANE_COUNT
#undef MACMI_CITEST_LANE_COUNT
#else
#define MACMI_CITEST_LANE_COUNT
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "citest/engines/lanes/lane_lists-inl.hpp"
#include "citest/engines/lanes/lane_rows-inl.hpp"
#include "citest/engines/lanes/lane_select-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

template <class T>
class LaneCount {
 public:
  LaneCount(const StatisticProblem& problem, const PermutedSide<T>& x) : p_(problem), x_(x), n_(problem.sample.n) {}

  /// Adds the terms of the lanes that have a radius to sums[lane * stride]; need[lane] - 1 is their k.
  template <bool one_column>
  void add(const LaneRows<T>& x, const NearLists& lists, const LaneRadii& radii, const std::uint32_t* need,
           StatisticSum* sums, std::size_t stride) {
    if (radii.found == 0) return;
    const std::int32_t usual = limit_of(radii.radius[std::countr_zero(radii.found)]);
    lowest_ = highest_ = usual;
    for (std::size_t lane = 0; lane < batch_lanes; ++lane) {
      const std::int32_t limit = (radii.found >> lane & 1) != 0 ? limit_of(radii.radius[lane]) : usual;
      limit_[lane] = static_cast<T>(limit);
      lowest_ = std::min(lowest_, limit);
      highest_ = std::max(highest_, limit);
    }
    count_yz(lists);
    if (!x_.sorted_x.empty())
      look_up_x(x);
    else
      count_xz<one_column>(x, lists);
    const std::int64_t* psi = p_.psi.data();
    const std::uint32_t self = p_.closed ? 1 : 0;
    for (std::uint64_t rest = radii.found; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const std::size_t n_z = p_.conditioned ? z_[lane] - self : n_;
      sums[lane * stride].terms += psi[(p_.closed ? radii.within[lane] : need[lane]) - 1] + psi[n_z] -
                                   psi[xz_[lane] - self] - psi[yz_[lane] - self];
    }
  }

  /// The same for one lane with a known radius, by plain loops.
  void add_one(const LaneRows<T>& x, const NearLists& lists, std::size_t lane, std::int32_t radius, std::size_t within,
               std::size_t need, StatisticSum& sum) const {
    const std::int32_t limit = limit_of(radius);
    const auto count = [&](const NearList& list, auto inside) {
      std::size_t c = 0;
      for (std::size_t e = 0; e < list.size(); ++e) c += list.distance[e] <= limit && inside(list.id[e]);
      return c;
    };
    const std::size_t self = p_.closed ? 1 : 0;
    const std::size_t yz = count(lists.yz, [](std::size_t) { return true; });
    const std::size_t z = p_.conditioned ? count(lists.z, [](std::size_t) { return true; }) - self : n_;
    const std::size_t xz = x_.sorted_x.empty()
                               ? count(lists.z, [&](std::size_t j) { return x.distance(j, lane) <= limit; })
                               : x_within(x.row(x.i)[lane], limit);
    sum.terms += p_.psi[(p_.closed ? within : need) - 1] + p_.psi[z] - p_.psi[xz - self] - p_.psi[yz - self];
  }

 private:
  static constexpr std::size_t most = 32000;  ///< entries that a lane of 16 bits can count
  static constexpr std::size_t ahead = 8;     ///< rows between prefetch and use

  /// Open neighbourhoods hold what is strictly nearer; of radius 0, what is at 0.
  std::int32_t limit_of(std::int32_t radius) const { return p_.closed ? radius : std::max(radius - 1, 0); }

  /// Adds `entries` minus what `outside` counted (downwards) to count[lane …].
  static void tally(hn::Vec<Tag<T>> outside, std::size_t entries, std::size_t lane, std::uint32_t* count) {
    const Tag<T> tag;
    alignas(64) T values[batch_lanes];
    hn::Store(outside, tag, values);
    for (std::size_t l = 0; l < hn::Lanes(tag); ++l)
      count[lane + l] += static_cast<std::uint32_t>(static_cast<std::int64_t>(entries) + values[l]);
  }

  void count_yz(const NearLists& lists) {
    const Tag<T> tag;
    const std::size_t lanes = hn::Lanes(tag);
    const std::size_t inside = lists.surely_within(lists.yz, lowest_), end = lists.perhaps_within(lists.yz, highest_);
    std::fill(yz_, yz_ + batch_lanes, static_cast<std::uint32_t>(inside));
    for (std::size_t begin = inside; begin < end; begin += most)
      for (std::size_t g = 0; g < batch_lanes; g += hn::Lanes(hn::ScalableTag<std::uint8_t>())) {
        const std::size_t last = std::min(end, begin + most);
        hn::Vec<Tag<T>> limit[per_group<T>], outside[per_group<T>];
        for (std::size_t v = 0; v < per_group<T>; ++v) {
          limit[v] = hn::Load(tag, limit_ + g + v * lanes);
          outside[v] = hn::Zero(tag);
        }
        for (std::size_t e = begin; e < last; ++e) {
          const auto distance = hn::Set(tag, static_cast<T>(lists.yz.distance[e]));
          for (std::size_t v = 0; v < per_group<T>; ++v)
            outside[v] = hn::Add(outside[v], hn::VecFromMask(tag, hn::Gt(distance, limit[v])));
        }
        for (std::size_t v = 0; v < per_group<T>; ++v) tally(outside[v], last - begin, g + v * lanes, yz_);
      }
  }

  /// n_xz and n_z: entries up to `inside` are near enough in z for every lane.
  template <bool one_column>
  void count_xz(const LaneRows<T>& x, const NearLists& lists) {
    const std::size_t inside = lists.surely_within(lists.z, lowest_), end = lists.perhaps_within(lists.z, highest_);
    std::fill(z_, z_ + batch_lanes, static_cast<std::uint32_t>(inside));
    std::fill(xz_, xz_ + batch_lanes, 0u);
    for (std::size_t g = 0; g < batch_lanes; g += hn::Lanes(hn::ScalableTag<std::uint8_t>())) {
      for (std::size_t begin = 0; begin < inside; begin += most)
        count_x<one_column, false>(x, lists.z, begin, std::min(inside, begin + most), g);
      for (std::size_t begin = inside; begin < end; begin += most)
        count_x<one_column, true>(x, lists.z, begin, std::min(end, begin + most), g);
    }
  }

  template <bool one_column, bool compare_z>
  void count_x(const LaneRows<T>& x, const NearList& list, std::size_t begin, std::size_t end, std::size_t g) {
    const Tag<T> tag;
    const std::size_t lanes = hn::Lanes(tag);
    hn::Vec<Tag<T>> limit[per_group<T>], own[per_group<T>], outside_x[per_group<T>], outside_z[per_group<T>];
    for (std::size_t v = 0; v < per_group<T>; ++v) {
      limit[v] = hn::Load(tag, limit_ + g + v * lanes);
      own[v] = x.template own<one_column>(g + v * lanes);
      outside_x[v] = outside_z[v] = hn::Zero(tag);
    }
    for (std::size_t e = begin; e < end; ++e) {
      x.prefetch(list.id[std::min(e + ahead, end - 1)], g);
      const auto dz = hn::Set(tag, static_cast<T>(list.distance[e]));
      for (std::size_t v = 0; v < per_group<T>; ++v) {
        auto d = x.template distances<one_column>(own[v], list.id[e], g + v * lanes);
        if constexpr (compare_z) {
          d = hn::Max(d, dz);
          outside_z[v] = hn::Add(outside_z[v], hn::VecFromMask(tag, hn::Gt(dz, limit[v])));
        }
        outside_x[v] = hn::Add(outside_x[v], hn::VecFromMask(tag, hn::Gt(d, limit[v])));
      }
    }
    for (std::size_t v = 0; v < per_group<T>; ++v) {
      tally(outside_x[v], end - begin, g + v * lanes, xz_);
      if constexpr (compare_z) tally(outside_z[v], end - begin, g + v * lanes, z_);
    }
  }

  void look_up_x(const LaneRows<T>& x) {
    for (std::size_t lane = 0; lane < batch_lanes; ++lane)
      xz_[lane] = static_cast<std::uint32_t>(x_within(x.row(x.i)[lane], limit_[lane]));
  }

  std::size_t x_within(std::int32_t x, std::int32_t limit) const { return x_up_to(x + limit) - x_up_to(x - limit - 1); }

  /// How many x are at most `value`.
  std::size_t x_up_to(std::int32_t value) const {
    if (value < 0) return 0;
    const auto bucket = static_cast<std::size_t>(value >> x_.bucket_shift);
    if (bucket + 1 >= x_.first_in_bucket.size()) return n_;
    const auto first = x_.sorted_x.begin() + x_.first_in_bucket[bucket];
    const auto last = x_.sorted_x.begin() + x_.first_in_bucket[bucket + 1];
    return static_cast<std::size_t>(std::upper_bound(first, last, value) - x_.sorted_x.begin());
  }

  const StatisticProblem& p_;
  const PermutedSide<T>& x_;
  std::size_t n_;
  std::int32_t lowest_ = 0, highest_ = 0;
  alignas(64) T limit_[batch_lanes];
  alignas(64) std::uint32_t xz_[batch_lanes], yz_[batch_lanes], z_[batch_lanes];
};

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
