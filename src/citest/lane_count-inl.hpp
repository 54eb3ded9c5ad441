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

#include "citest/lane_kernel.hpp"
#include "citest/lane_lists-inl.hpp"
#include "citest/lane_select-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

class LaneCount {
 public:
  explicit LaneCount(const LaneTask& task) : p_(*task.problem), x_(*task.permuted), n_(task.fixed->n) {}

  /// Adds the terms of the lanes that have a radius to sums[lane * stride].
  template <bool one_column, class K>
  void add(const LaneRows& x, const ListBuilder& lists, const Buckets& buckets, const LaneRadii& radii,
           StatisticSum* sums, std::size_t stride, K k_of) {
    if (radii.found == 0) return;
    const std::int32_t usual = limit_of(radii.radius[std::countr_zero(radii.found)]);
    lowest_ = highest_ = usual;
    for (std::size_t lane = 0; lane < batch_lanes; ++lane) {
      limit_[lane] = radii.found >> lane & 1 ? limit_of(radii.radius[lane]) : usual;
      lowest_ = std::min(lowest_, limit_[lane]);
      highest_ = std::max(highest_, limit_[lane]);
    }
    count_yz(lists.yz, buckets);
    if (!x_.sorted_x.empty())
      look_up_x(x);
    else
      count_xz<one_column>(x, lists.z, buckets);
    const std::int64_t* psi = p_.psi.data();
    const std::uint32_t self = p_.closed ? 1 : 0;
    for (std::uint64_t rest = radii.found; rest != 0; rest &= rest - 1) {
      const auto lane = static_cast<std::size_t>(std::countr_zero(rest));
      const std::size_t n_z = p_.conditioned ? z_[lane] - self : n_;
      sums[lane * stride].terms += psi[p_.closed ? radii.within[lane] - 1 : k_of(lane)] + psi[n_z] -
                                   psi[xz_[lane] - self] - psi[yz_[lane] - self];
      ++sums[lane * stride].samples;
    }
  }

  /// The same for one lane with a known radius, by plain loops.
  void add_one(const LaneRows& x, const ListBuilder& lists, std::size_t lane, std::int32_t radius, std::uint32_t within,
               std::uint32_t k, StatisticSum& sum) const {
    const std::int32_t limit = limit_of(radius);
    const auto count = [&](const NearList& list, auto inside) {
      std::size_t c = 0;
      for (std::size_t e = 0; e < list.size; ++e) c += list.distance[e] <= limit && inside(list.id[e]);
      return c;
    };
    const std::size_t self = p_.closed ? 1 : 0;
    const std::size_t yz = count(lists.yz, [](std::size_t) { return true; });
    const std::size_t z = p_.conditioned ? count(lists.z, [](std::size_t) { return true; }) - self : n_;
    const std::size_t xz = x_.sorted_x.empty()
                               ? count(lists.z, [&](std::size_t j) { return x.distance(j, lane) <= limit; })
                               : x_within(x.row(x.i)[lane], limit);
    sum.terms += p_.psi[p_.closed ? within - 1 : k] + p_.psi[z] - p_.psi[xz - self] - p_.psi[yz - self];
    ++sum.samples;
  }

 private:
  /// Open neighbourhoods hold what is strictly nearer; of radius 0, what is at 0.
  std::int32_t limit_of(std::int32_t radius) const { return p_.closed ? radius : std::max(radius - 1, 0); }

  /// Entries in the buckets below the lowest limit's are within every lane's; those up to the highest's are compared.
  void count_yz(const NearList& list, const Buckets& buckets) {
    const I32 tag;
    const std::size_t lanes = hn::Lanes(tag);
    const std::size_t inside = list.start[buckets.of(lowest_)], end = list.up_to(buckets, highest_);
    for (std::size_t g = 0; g < batch_lanes; g += 4 * lanes) {
      hn::Vec<I32> limit[4], outside[4];
      for (std::size_t v = 0; v < 4; ++v) {
        limit[v] = hn::Load(tag, limit_ + g + v * lanes);
        outside[v] = hn::Zero(tag);
      }
      for (std::size_t e = inside; e < end; ++e) {
        const auto distance = hn::Set(tag, list.distance[e]);
        for (std::size_t v = 0; v < 4; ++v)
          outside[v] = hn::Sub(outside[v], hn::VecFromMask(tag, hn::Gt(distance, limit[v])));
      }
      for (std::size_t v = 0; v < 4; ++v)
        hn::Store(hn::Sub(hn::Set(tag, static_cast<std::int32_t>(end)), outside[v]), tag, yz_ + g + v * lanes);
    }
  }

  template <bool one_column>
  void count_xz(const LaneRows& x, const NearList& list, const Buckets& buckets) {
    const I32 tag;
    const std::size_t lanes = hn::Lanes(tag);
    const std::size_t inside = list.start[buckets.of(lowest_)], end = list.up_to(buckets, highest_);
    const std::int32_t* row_i = x.row(x.i);
    for (std::size_t g = 0; g < batch_lanes; g += 4 * lanes) {
      hn::Vec<I32> limit[4], near[4], near_x[4], low[4], width[4];
      for (std::size_t v = 0; v < 4; ++v) {
        const std::size_t lane = g + v * lanes;
        limit[v] = hn::Load(tag, limit_ + lane);
        near[v] = near_x[v] = hn::Zero(tag);
        // x_j within limit of x_i: x_j - (x_i - limit) is in 0 … 2 limit, one comparison after moving 0 to the lowest
        // number that there is.
        low[v] = hn::Sub(hn::Sub(hn::Load(tag, row_i + lane), limit[v]), hn::Set(tag, hwy::LimitsMin<std::int32_t>()));
        width[v] = hn::Add(hn::Add(limit[v], limit[v]), hn::Set(tag, hwy::LimitsMin<std::int32_t>()));
      }
      const auto outside_x = [&](std::size_t j, const std::int32_t* row_j, std::size_t v) HWY_ATTR {
        if constexpr (one_column)
          return hn::VecFromMask(tag, hn::Gt(hn::Sub(hn::Load(tag, row_j + g + v * lanes), low[v]), width[v]));
        else
          return hn::VecFromMask(tag, hn::Gt(lane_distance<false>(x, row_i, row_j, j, g + v * lanes), limit[v]));
      };
      for (std::size_t e = 0; e < inside; ++e) {
        const std::size_t j = list.id[e];
        const std::int32_t* row_j = x.row(j);
        for (std::size_t v = 0; v < 4; ++v) near_x[v] = hn::Add(near_x[v], outside_x(j, row_j, v));
      }
      for (std::size_t e = inside; e < end; ++e) {
        const std::size_t j = list.id[e];
        const std::int32_t* row_j = x.row(j);
        const auto distance = hn::Set(tag, list.distance[e]);
        for (std::size_t v = 0; v < 4; ++v) {
          const auto outside_z = hn::VecFromMask(tag, hn::Gt(distance, limit[v]));
          near[v] = hn::Add(near[v], outside_z);
          near_x[v] = hn::Add(near_x[v], hn::Or(outside_z, outside_x(j, row_j, v)));
        }
      }
      const auto all = hn::Set(tag, static_cast<std::int32_t>(end));  // less one for every entry outside
      for (std::size_t v = 0; v < 4; ++v) {
        hn::Store(hn::Add(all, near[v]), tag, z_ + g + v * lanes);
        hn::Store(hn::Add(all, near_x[v]), tag, xz_ + g + v * lanes);
      }
    }
  }

  void look_up_x(const LaneRows& x) {
    for (std::size_t lane = 0; lane < batch_lanes; ++lane)
      xz_[lane] = static_cast<std::int32_t>(x_within(x.row(x.i)[lane], limit_[lane]));
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
  const PermutedSide& x_;
  std::size_t n_;
  std::int32_t lowest_ = 0, highest_ = 0;
  alignas(64) std::int32_t limit_[batch_lanes];
  alignas(64) std::int32_t xz_[batch_lanes], yz_[batch_lanes], z_[batch_lanes];
};

}  // namespace macmi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
