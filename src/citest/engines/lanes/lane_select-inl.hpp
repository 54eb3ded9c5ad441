// The k-th smallest distance of one sample in (x, y, z), for 64 permutations of x at once.
#if defined(MACMI_CITEST_LANE_SELECT) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_LANE_SELECT
#undef MACMI_CITEST_LANE_SELECT
#else
#define MACMI_CITEST_LANE_SELECT
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>

#include "citest/engines/lanes/lane_lists-inl.hpp"
#include "citest/engines/lanes/lane_rows-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// The result of selection, lane by lane.
struct LaneRadii {
  alignas(64) std::int32_t radius[batch_lanes];
  alignas(64) std::uint32_t within[batch_lanes];  ///< samples at most at the radius, i itself included
  std::uint64_t found = 0;                        ///< lanes that have a radius

  /// The list is complete up to `reach` only: a larger radius may be too large.
  void forget_beyond(std::int32_t reach) {
    for (std::uint64_t rest = found; rest != 0; rest &= rest - 1)
      if (radius[std::countr_zero(rest)] > reach) found &= ~(rest & (~rest + 1));
  }
};

/// Distances are looked at in 254 buckets of 2^shift units from a lower end on that every lane has for itself.
struct Scale {
  alignas(64) std::int32_t low[batch_lanes];
  int shift = 0;

  void fit(std::int32_t width) {
    for (shift = 0; (width >> shift) > 253;) ++shift;
  }
};

#if HWY_TARGET == HWY_SCALAR

/// Without vectors there is nothing to gain here: every lane is left to the caller.
template <class T>
class LaneSelect {
 public:
  template <bool one_column>
  void select(const LaneRows<T>&, const NearList&, std::size_t, Scale&, const std::uint32_t*, LaneRadii& out) {
    out.found = 0;
  }
};

#else

using I8 = hn::ScalableTag<std::int8_t>;

/// Two vectors of 16-bit numbers as one of bytes, saturated, in the order that costs one instruction.
/// (Highway 1.0.3 has this step for 32-bit numbers only.)
HWY_INLINE hn::Vec<I8> pack(hn::Vec<Tag<std::int16_t> > a, hn::Vec<Tag<std::int16_t> > b) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return hn::Vec<I8>{_mm512_packs_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX2
  return hn::Vec<I8>{_mm256_packs_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_SSE4
  return hn::Vec<I8>{_mm_packs_epi16(a.raw, b.raw)};
#else
  const hn::Half<I8> half;
  return hn::Combine(I8(), hn::DemoteTo(half, b), hn::DemoteTo(half, a));
#endif
}

/// One group of lanes as bytes, saturated: always in the same order. `vector(v)` is its v-th vector.
template <class T, class Vector>
HWY_INLINE hn::Vec<I8> pack_group(Vector vector) {
  if constexpr (sizeof(T) == 2) {
    return pack(vector(0), vector(1));
  } else {
    const Tag<std::int16_t> half;
    return pack(hn::ReorderDemote2To(half, vector(0), vector(1)), hn::ReorderDemote2To(half, vector(2), vector(3)));
  }
}

template <class T>
class LaneSelect {
 public:
  LaneSelect() {
    alignas(64) std::int8_t order[batch_lanes];
    for (std::size_t g = 0; g < batch_lanes; g += hn::Lanes(I8()))
      hn::Store(pack_group<T>([&](std::size_t v)
                                  HWY_ATTR { return hn::Iota(Tag<T>(), static_cast<T>(g + v * hn::Lanes(Tag<T>()))); }),
                I8(), order + g);
    for (std::size_t b = 0; b < batch_lanes; ++b) lane_of_[b] = static_cast<std::uint8_t>(order[b]);
  }

  /// The need[l]-th smallest distance (i itself counts, at 0) among the first `size` samples of the list. Lanes with
  /// need 0 are left alone; lanes outside the scale, or too costly here, are reported as not found.
  template <bool one_column>
  void select(const LaneRows<T>& x, const NearList& list, std::size_t size, Scale& scale, const std::uint32_t* need,
              LaneRadii& out) {
    out.found = 0;
    if (codes_.size() < (size + 2) * batch_lanes) codes_.resize((size + size / 4 + 2) * batch_lanes);
    encode<one_column>(x, list, size, scale);
    bisect(size, need);
    std::uint64_t active = 0;  // in the order of bytes, as everything here
    for (std::size_t b = 0; b < batch_lanes; ++b) {
      const bool inside = bucket_[b] != 127 && (bucket_[b] != -128 || scale.low[lane_of_[b]] == 0);
      active |= std::uint64_t{need_[b] != 0 && inside} << b;
    }
    while (scale.shift > 0 && crowded(active) > few_lanes) {
      for (std::size_t b = 0; b < batch_lanes; ++b)
        if (active >> b & 1) scale.low[lane_of_[b]] += (bucket_[b] + 127) << scale.shift;
      scale.shift = std::max(0, scale.shift - 7);
      encode<one_column>(x, list, size, scale);
      bisect(size, need);
    }
    if (scale.shift == 0)
      read_off(active, scale, out);
    else
      resolve(x, list, size, active, out);
  }

 private:
  static constexpr std::size_t room = 16;      ///< samples per bucket that are sorted out one by one
  static constexpr std::size_t few_lanes = 4;  ///< lanes worth leaving to the caller
  static constexpr std::size_t ahead = 8;      ///< rows between prefetch and use

  /// Bucket numbers: -128 below the lower end, -127 … 126, 127 beyond.
  template <bool one_column>
  void encode(const LaneRows<T>& x, const NearList& list, std::size_t size, const Scale& scale) {
    const Tag<T> tag;
    const std::size_t lanes = hn::Lanes(tag);
    alignas(64) T middle[batch_lanes];
    for (std::size_t l = 0; l < batch_lanes; ++l) middle[l] = static_cast<T>(scale.low[l] + (127 << scale.shift));
    for (std::size_t g = 0; g < batch_lanes; g += hn::Lanes(I8())) {
      hn::Vec<Tag<T> > base[per_group<T>], own[per_group<T>];
      for (std::size_t v = 0; v < per_group<T>; ++v) {
        base[v] = hn::Load(tag, middle + g + v * lanes);
        own[v] = x.template own<one_column>(g + v * lanes);
      }
      for (std::size_t e = 0; e < size; ++e) {
        x.prefetch(list.id[std::min(e + ahead, size - 1)], g);
        const std::size_t j = list.id[e];
        const auto yz = hn::Set(tag, static_cast<T>(list.distance[e]));
        const auto code = pack_group<T>([&](std::size_t v) HWY_ATTR {
          const auto d = hn::Max(x.template distances<one_column>(own[v], j, g + v * lanes), yz);
          if constexpr (sizeof(T) == 2)
            return hn::ShiftRightSame(hn::SaturatedSub(d, base[v]), scale.shift);
          else
            return hn::ShiftRightSame(hn::Sub(d, base[v]), scale.shift);
        });
        hn::Store(code, I8(), codes_.data() + e * batch_lanes + g);
      }
    }
  }

  /// How many of the codes are below limit[b], for every byte b.
  void count_below(std::size_t size, const std::int8_t* limit, std::uint32_t* count) const {
    const I8 tag;
    alignas(64) std::uint8_t partial[batch_lanes];
    std::fill(count, count + batch_lanes, 0u);
    for (std::size_t begin = 0; begin < size; begin += 254) {  // bytes count to 255
      const std::size_t end = std::min(size, begin + 254);
      for (std::size_t g = 0; g < batch_lanes; g += hn::Lanes(tag)) {
        const auto bound = hn::Load(tag, limit + g);
        const auto below = [&](std::size_t e) HWY_ATTR {
          return hn::VecFromMask(tag, hn::Gt(bound, hn::Load(tag, codes_.data() + e * batch_lanes + g)));
        };
        auto a = hn::Zero(tag), b = a, c = a, d = a;
        std::size_t e = begin;
        for (; e + 3 < end; e += 4) {
          a = hn::Sub(a, below(e));
          b = hn::Sub(b, below(e + 1));
          c = hn::Sub(c, below(e + 2));
          d = hn::Sub(d, below(e + 3));
        }
        for (; e < end; ++e) a = hn::Sub(a, below(e));
        hn::Store(hn::Add(hn::Add(a, b), hn::Add(c, d)), tag, reinterpret_cast<std::int8_t*>(partial) + g);
      }
      for (std::size_t b = 0; b < batch_lanes; ++b) count[b] += partial[b];
    }
  }

  /// The bucket of the need-th smallest, and how many are below and up to it.
  void bisect(std::size_t size, const std::uint32_t* need) {
    alignas(64) std::int8_t limit[batch_lanes];
    alignas(64) std::uint32_t count[batch_lanes];
    for (std::size_t b = 0; b < batch_lanes; ++b) {
      need_[b] = need[lane_of_[b]];
      bucket_[b] = -128;
      below_[b] = up_to_[b] = 0;
    }
    for (std::int32_t step = 128; step > 0; step /= 2) {
      for (std::size_t b = 0; b < batch_lanes; ++b) limit[b] = static_cast<std::int8_t>(bucket_[b] + step);
      count_below(size, limit, count);
      for (std::size_t b = 0; b < batch_lanes; ++b) {
        const bool more = count[b] < need_[b];
        bucket_[b] += more ? step : 0;
        below_[b] = more ? count[b] : below_[b];
        up_to_[b] = more ? up_to_[b] : count[b];
      }
    }
  }

  std::size_t crowded(std::uint64_t active) const {
    std::size_t lanes = 0;
    for (std::size_t b = 0; b < batch_lanes; ++b) lanes += (active >> b & 1) && up_to_[b] - below_[b] > room;
    return lanes;
  }

  /// Buckets of one unit: their number is the radius.
  void read_off(std::uint64_t active, const Scale& scale, LaneRadii& out) const {
    for (std::size_t b = 0; b < batch_lanes; ++b) {
      const std::size_t lane = lane_of_[b];
      out.radius[lane] = scale.low[lane] + bucket_[b] + 127;
      out.within[lane] = up_to_[b];
      out.found |= (active >> b & 1) << lane;
    }
  }

  /// Computes the distances in every lane's bucket and sorts them.
  void resolve(const LaneRows<T>& x, const NearList& list, std::size_t size, std::uint64_t active, LaneRadii& out) {
    const I8 tag;
    alignas(64) std::int8_t wanted[batch_lanes];
    std::uint8_t held[batch_lanes] = {};
    for (std::size_t b = 0; b < batch_lanes; ++b) {
      wanted[b] = static_cast<std::int8_t>(bucket_[b]);
      if (up_to_[b] - below_[b] > room) active &= ~(std::uint64_t{1} << b);
    }
    for (std::size_t e = 0; e < size; ++e) {
      std::uint64_t hits = 0;
      for (std::size_t g = 0; g < batch_lanes; g += hn::Lanes(tag)) {
        std::uint64_t bits = 0;
        hn::StoreMaskBits(tag, hn::Eq(hn::Load(tag, codes_.data() + e * batch_lanes + g), hn::Load(tag, wanted + g)),
                          reinterpret_cast<std::uint8_t*>(&bits));
        hits |= bits << g;
      }
      for (hits &= active; hits != 0; hits &= hits - 1) {
        const auto b = static_cast<std::size_t>(std::countr_zero(hits));
        held_[b][held[b]++] = std::max(x.distance(list.id[e], lane_of_[b]), list.distance[e]);
      }
    }
    for (std::uint64_t rest = active; rest != 0; rest &= rest - 1) {
      const auto b = static_cast<std::size_t>(std::countr_zero(rest));
      std::int32_t *first = held_[b], *last = first + held[b], *kth = first + (need_[b] - below_[b] - 1);
      std::nth_element(first, kth, last);
      const std::int32_t radius = *kth;
      out.radius[lane_of_[b]] = radius;
      out.within[lane_of_[b]] = below_[b] + static_cast<std::uint32_t>(std::count_if(
                                                first, last, [=](std::int32_t d) { return d <= radius; }));
      out.found |= std::uint64_t{1} << lane_of_[b];
    }
  }

  base::AlignedVector<std::int8_t> codes_;  ///< [entry of the list][byte]
  std::uint8_t lane_of_[batch_lanes];       ///< byte of a code -> lane
  alignas(64) std::int32_t bucket_[batch_lanes];
  alignas(64) std::uint32_t need_[batch_lanes], below_[batch_lanes], up_to_[batch_lanes];
  std::int32_t held_[batch_lanes][room];
};

#endif  // vectors

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
