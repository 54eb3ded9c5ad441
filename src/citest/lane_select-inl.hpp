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
#include <cstdlib>

#include "citest/lane_kernel.hpp"
#include "citest/lane_lists-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

/// x of every lane, for one sample i of one batch.
struct LaneRows {
  const std::int32_t* rows = nullptr;      ///< of the batch: [sample][column][lane]
  const std::int32_t* category = nullptr;  ///< or nothing
  std::size_t columns = 0;
  std::size_t i = 0;

  const std::int32_t* row(std::size_t j) const { return rows + j * columns * batch_lanes; }
  std::int32_t distance(std::size_t j, std::size_t lane) const {
    if (category && category[j * batch_lanes + lane] != category[i * batch_lanes + lane]) return lattice_range + 1;
    std::int32_t d = 0;
    for (std::size_t c = 0; c < columns; ++c)
      d = std::max(d, std::abs(row(j)[c * batch_lanes + lane] - row(i)[c * batch_lanes + lane]));
    return d;
  }
};

/// One vector of |x_j - x_i| in the max-norm, lanes `lane` on.
template <bool one_column>
HWY_INLINE hn::Vec<I32> lane_distance(const LaneRows& x, const std::int32_t* row_i, const std::int32_t* row_j,
                                      std::size_t j, std::size_t lane) {
  const I32 tag;
  if constexpr (one_column) {
    return hn::Abs(hn::Sub(hn::Load(tag, row_j + lane), hn::Load(tag, row_i + lane)));
  } else {
    auto d = hn::Zero(tag);
    for (std::size_t c = 0; c < x.columns; ++c)
      d = hn::Max(d, hn::Abs(hn::Sub(hn::Load(tag, row_j + c * batch_lanes + lane), hn::Load(tag, row_i + c * batch_lanes + lane))));
    if (!x.category) return d;
    const auto same = hn::Eq(hn::Load(tag, x.category + j * batch_lanes + lane), hn::Load(tag, x.category + x.i * batch_lanes + lane));
    return hn::IfThenElse(same, d, hn::Set(tag, lattice_range + 1));
  }
}

/// What selection finds, lane by lane.
struct LaneRadii {
  alignas(64) std::int32_t radius[batch_lanes];
  alignas(64) std::uint32_t below[batch_lanes];   ///< samples nearer than the radius, i itself included
  alignas(64) std::uint32_t within[batch_lanes];  ///< samples at most at the radius
  std::uint64_t found = 0;   ///< lanes that have one
  std::uint64_t beyond = 0;  ///< lanes whose radius exceeds what the list covers

  /// The list is complete up to `reach` only: a larger radius may be too large.
  void forget_beyond(std::int32_t reach) {
    for (std::uint64_t rest = found; rest != 0; rest &= rest - 1) {
      const std::uint64_t bit = rest & (~rest + 1);
      if (radius[std::countr_zero(rest)] <= reach) continue;
      found &= ~bit;
      beyond |= bit;
    }
  }
};

#if HWY_TARGET == HWY_SCALAR

/// Without vectors there is nothing to gain here: every lane is left to the caller.
class LaneSelect {
 public:
  explicit LaneSelect(std::size_t) {}
  template <bool one_column>
  void look(const LaneRows&, const NearList&, std::size_t, const Buckets&) {}
  template <bool one_column>
  void select(const LaneRows&, const NearList&, std::size_t, const Buckets&, const std::uint32_t*, LaneRadii& out) {
    out.found = out.beyond = 0;
  }
};

#else

using I16 = hn::Repartition<std::int16_t, I32>;
using I8 = hn::Repartition<std::int8_t, I32>;

/// Two vectors of 16-bit numbers as one of bytes, saturated, in the order that costs one instruction.
/// (Highway 1.0.3 has this step for 32-bit numbers only.)
HWY_INLINE hn::Vec<I8> pack_bytes(hn::Vec<I16> a, hn::Vec<I16> b) {
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  return hn::Vec<I8>{_mm512_packs_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_AVX2
  return hn::Vec<I8>{_mm256_packs_epi16(a.raw, b.raw)};
#elif HWY_TARGET == HWY_SSE4 || HWY_TARGET == HWY_SSSE3
  return hn::Vec<I8>{_mm_packs_epi16(a.raw, b.raw)};
#else
  const hn::Half<I8> half;
  return hn::Combine(I8(), hn::DemoteTo(half, b), hn::DemoteTo(half, a));
#endif
}

/// Four vectors of 32-bit numbers as one of bytes, saturated; the same order of lanes every time.
HWY_INLINE hn::Vec<I8> pack_lanes(hn::Vec<I32> a, hn::Vec<I32> b, hn::Vec<I32> c, hn::Vec<I32> d) {
  return pack_bytes(hn::ReorderDemote2To(I16(), a, b), hn::ReorderDemote2To(I16(), c, d));
}

class LaneSelect {
 public:
  explicit LaneSelect(std::size_t n) {
    codes_.resize((n + 2) * batch_lanes);
    finer_.resize((n + 2) * batch_lanes);
    const I32 tag;
    const std::size_t lanes = hn::Lanes(tag);
    alignas(64) std::int8_t order[batch_lanes];
    for (std::size_t g = 0; g < batch_lanes; g += 4 * lanes) {
      const auto from = [&](std::size_t v) { return hn::Iota(tag, static_cast<std::int32_t>(g + v * lanes)); };
      hn::Store(pack_lanes(from(0), from(1), from(2), from(3)), I8(), order + g);
    }
    for (std::size_t b = 0; b < batch_lanes; ++b) lane_of_[b] = static_cast<std::uint8_t>(order[b]);
  }

  /// Bucket numbers (minus 128) of the first `size` samples of the list, for select().
  template <bool one_column>
  void look(const LaneRows& x, const NearList& list, std::size_t size, const Buckets& buckets) {
    std::fill(std::begin(low_), std::end(low_), buckets.low);
    encode<one_column>(x, list, size, low_, buckets.shift, codes_.data());
  }

  /// The need[l]-th smallest distance (i itself counts, at 0) among the first `size` samples that look() has seen.
  /// Lanes with need 0 are left alone; lanes that are too costly here are reported as not found.
  template <bool one_column>
  void select(const LaneRows& x, const NearList& list, std::size_t size, const Buckets& buckets,
              const std::uint32_t* need, LaneRadii& out) {
    std::fill(std::begin(low_), std::end(low_), buckets.low);
    int shift = buckets.shift;
    const std::int8_t* codes = codes_.data();
    bisect(codes, size, need);
    out.found = out.beyond = 0;
    std::uint64_t active = 0;  // in the order of bytes, as everything here
    for (std::size_t b = 0; b < batch_lanes; ++b) {
      const std::uint64_t bit = std::uint64_t{1} << b;
      if (need_[b] == 0) continue;
      if (bucket_[b] == 127) out.beyond |= std::uint64_t{1} << lane_of_[b];
      if (bucket_[b] != 127 && (bucket_[b] != -128 || buckets.low == 0)) active |= bit;
    }
    while (shift > 0 && crowded(active) > few_lanes) {
      for (std::size_t b = 0; b < batch_lanes; ++b)
        if (active >> b & 1) low_[lane_of_[b]] += (bucket_[b] + 127) << shift;
      shift = std::max(0, shift - 7);
      encode<one_column>(x, list, size, low_, shift, finer_.data());
      codes = finer_.data();
      bisect(codes, size, need);
    }
    if (shift == 0)
      read_off(active, out);
    else
      resolve(x, list, size, codes, active, out);
  }

 private:
  static constexpr std::size_t room = 16;       ///< samples per bucket that are sorted out one by one
  static constexpr std::size_t few_lanes = 4;   ///< lanes worth leaving to the caller

  template <bool one_column>
  void encode(const LaneRows& x, const NearList& list, std::size_t size, const std::int32_t* low, int shift,
              std::int8_t* codes) const {
    const I32 tag;
    const std::size_t lanes = hn::Lanes(tag);
    const std::int32_t* row_i = x.row(x.i);
    const auto middle = hn::Set(tag, std::int32_t{127} << shift);
    for (std::size_t g = 0; g < batch_lanes; g += 4 * lanes) {
      const auto base0 = hn::Add(hn::Load(tag, low + g), middle);
      const auto base1 = hn::Add(hn::Load(tag, low + g + lanes), middle);
      const auto base2 = hn::Add(hn::Load(tag, low + g + 2 * lanes), middle);
      const auto base3 = hn::Add(hn::Load(tag, low + g + 3 * lanes), middle);
      for (std::size_t e = 0; e < size; ++e) {
        const std::size_t j = list.id[e];
        const std::int32_t* row_j = x.row(j);
        const auto yz = hn::Set(tag, list.distance[e]);
        const auto bucket = [&](auto base, std::size_t v) HWY_ATTR {
          const auto d = hn::Max(lane_distance<one_column>(x, row_i, row_j, j, g + v * lanes), yz);
          return hn::ShiftRightSame(hn::Sub(d, base), shift);
        };
        hn::Store(pack_lanes(bucket(base0, 0), bucket(base1, 1), bucket(base2, 2), bucket(base3, 3)), I8(),
                  codes + e * batch_lanes + g);
      }
    }
  }

  /// How many codes are below limit[b], for every byte b.
  static void count_below(const std::int8_t* codes, std::size_t size, const std::int8_t* limit, std::uint32_t* count) {
    const I8 tag;
    alignas(64) std::uint8_t partial[batch_lanes];
    std::fill(count, count + batch_lanes, 0u);
    for (std::size_t begin = 0; begin < size; begin += 254) {  // bytes count to 255
      const std::size_t end = std::min(size, begin + 254);
      for (std::size_t g = 0; g < batch_lanes; g += hn::Lanes(tag)) {
        const auto bound = hn::Load(tag, limit + g);
        auto even = hn::Zero(tag), odd = hn::Zero(tag);
        std::size_t e = begin;
        for (; e + 1 < end; e += 2) {
          even = hn::Sub(even, hn::VecFromMask(tag, hn::Gt(bound, hn::Load(tag, codes + e * batch_lanes + g))));
          odd = hn::Sub(odd, hn::VecFromMask(tag, hn::Gt(bound, hn::Load(tag, codes + (e + 1) * batch_lanes + g))));
        }
        if (e < end) even = hn::Sub(even, hn::VecFromMask(tag, hn::Gt(bound, hn::Load(tag, codes + e * batch_lanes + g))));
        hn::Store(hn::Add(even, odd), tag, reinterpret_cast<std::int8_t*>(partial) + g);
      }
      for (std::size_t b = 0; b < batch_lanes; ++b) count[b] += partial[b];
    }
  }

  /// The bucket of the need-th smallest, and how many are below and up to it.
  void bisect(const std::int8_t* codes, std::size_t size, const std::uint32_t* need) {
    alignas(64) std::int8_t limit[batch_lanes];
    alignas(64) std::uint32_t count[batch_lanes];
    for (std::size_t b = 0; b < batch_lanes; ++b) {
      need_[b] = need[lane_of_[b]];
      bucket_[b] = -128;
      below_[b] = up_to_[b] = 0;
    }
    for (std::int32_t step = 128; step > 0; step /= 2) {
      for (std::size_t b = 0; b < batch_lanes; ++b) limit[b] = static_cast<std::int8_t>(bucket_[b] + step);
      count_below(codes, size, limit, count);
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
  void read_off(std::uint64_t active, LaneRadii& out) const {
    for (std::size_t b = 0; b < batch_lanes; ++b) {
      if (!(active >> b & 1)) continue;
      const std::size_t lane = lane_of_[b];
      out.radius[lane] = low_[lane] + bucket_[b] + 127;
      out.below[lane] = below_[b];
      out.within[lane] = up_to_[b];
      out.found |= std::uint64_t{1} << lane;
    }
  }

  /// Computes the distances in every lane's bucket and sorts them.
  void resolve(const LaneRows& x, const NearList& list, std::size_t size, const std::int8_t* codes,
               std::uint64_t active, LaneRadii& out) {
    for (std::size_t b = 0; b < batch_lanes; ++b)
      if ((active >> b & 1) && up_to_[b] - below_[b] > room) active &= ~(std::uint64_t{1} << b);
    const I8 tag;
    alignas(64) std::int8_t wanted[batch_lanes];
    std::uint8_t held[batch_lanes] = {};
    for (std::size_t b = 0; b < batch_lanes; ++b) wanted[b] = static_cast<std::int8_t>(bucket_[b]);
    for (std::size_t e = 0; e < size; ++e) {
      std::uint64_t hits = 0;
      for (std::size_t g = 0; g < batch_lanes; g += hn::Lanes(tag)) {
        std::uint64_t bits = 0;
        hn::StoreMaskBits(tag, hn::Eq(hn::Load(tag, codes + e * batch_lanes + g), hn::Load(tag, wanted + g)),
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
      const std::size_t lane = lane_of_[b], count = held[b];
      std::int32_t* distance = held_[b];
      for (std::size_t s = 1; s < count; ++s)
        for (std::size_t t = s; t > 0 && distance[t] < distance[t - 1]; --t) std::swap(distance[t], distance[t - 1]);
      const std::size_t rank = need_[b] - below_[b] - 1;
      std::size_t first = rank, last = rank + 1;
      while (first > 0 && distance[first - 1] == distance[rank]) --first;
      while (last < count && distance[last] == distance[rank]) ++last;
      out.radius[lane] = distance[rank];
      out.below[lane] = below_[b] + static_cast<std::uint32_t>(first);
      out.within[lane] = below_[b] + static_cast<std::uint32_t>(last);
      out.found |= std::uint64_t{1} << lane;
    }
  }

  AlignedVector<std::int8_t> codes_, finer_;
  std::uint8_t lane_of_[batch_lanes];  ///< byte of a code -> lane
  alignas(64) std::int32_t low_[batch_lanes];
  alignas(64) std::int32_t bucket_[batch_lanes];
  alignas(64) std::uint32_t need_[batch_lanes], below_[batch_lanes], up_to_[batch_lanes];
  std::int32_t held_[batch_lanes][room];
};

#endif  // vectors

}  // namespace macmi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
