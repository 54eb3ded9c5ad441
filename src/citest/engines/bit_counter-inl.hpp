// Counters for many permutations at once, one bit of each in every word: adding a mask of permutations to all of them
// takes a few logical operations (carry-save adders after Harley and Seal; Muła, Kurz, Lemire 2018).
#if defined(MACMI_CITEST_BIT_COUNTER) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_CITEST_BIT_COUNTER
#undef MACMI_CITEST_BIT_COUNTER
#else
#define MACMI_CITEST_BIT_COUNTER
#endif

#include <hwy/highway.h>

#include <algorithm>
#include <bit>
#include <cstdint>

#include "citest/engines/slices/slice_kernel.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::citest::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using Bits = hn::CappedTag<std::uint64_t, slice_words>;
using BitVector = hn::Vec<Bits>;

/// a + b + c = sum + 2 carry.
HWY_INLINE void add_three(BitVector a, BitVector b, BitVector c, BitVector& sum, BitVector& carry) {
  const BitVector either = hn::Xor(a, b);
#if HWY_TARGET == HWY_AVX3 || HWY_TARGET == HWY_AVX3_DL
  carry =
      hn::IfVecThenElse(either, c, a);  // bit by bit there, in one instruction; elsewhere it may look at whole lanes
#else
  carry = hn::Or(hn::And(a, b), hn::And(either, c));
#endif
  sum = hn::Xor(either, c);
}

/// One vector of counters; plane p holds bit p of each.
class BitCounter {
 public:
  static constexpr std::size_t least_planes = 7, most_planes = 32;
  static constexpr std::size_t at_once = 16;  ///< masks that are added with one ripple through the planes

  /// All counters at zero, with room for sums up to `limit`.
  void clear(std::size_t limit) {
    planes_ = std::max<std::size_t>(least_planes, static_cast<std::size_t>(std::bit_width(limit)));
    for (std::size_t p = 0; p < planes_; ++p) plane(p, hn::Zero(Bits()));
  }
  /// The counters of another one, with room for sums up to `limit`.
  void copy(const BitCounter& other, std::size_t limit) {
    clear(limit);
    for (std::size_t p = 0; p < other.planes_; ++p) plane(p, other.plane(p));
  }

  std::size_t planes() const { return planes_; }
  BitVector plane(std::size_t p) const { return hn::Load(Bits(), words_[p]); }
  void plane(std::size_t p, BitVector v) { hn::Store(v, Bits(), words_[p]); }

  /// `count` rounded up to what `add` takes.
  static constexpr std::size_t padded(std::size_t count) { return (count + at_once - 1) / at_once * at_once; }

  /// Adds the masks mask(0) … mask(count - 1), of which there must be a multiple of `at_once`.
  template <class Mask>
  HWY_INLINE void add(std::size_t count, Mask mask) {
    BitVector ones = plane(0), twos = plane(1), fours = plane(2), eights = plane(3);
    BitVector twos_a, twos_b, fours_a, fours_b, eights_a, eights_b, carry;
    const auto add_eight = [&](std::size_t e, BitVector & to_eights) HWY_ATTR __attribute__((always_inline)) {
      add_three(ones, mask(e), mask(e + 1), ones, twos_a);
      add_three(ones, mask(e + 2), mask(e + 3), ones, twos_b);
      add_three(twos, twos_a, twos_b, twos, fours_a);
      add_three(ones, mask(e + 4), mask(e + 5), ones, twos_a);
      add_three(ones, mask(e + 6), mask(e + 7), ones, twos_b);
      add_three(twos, twos_a, twos_b, twos, fours_b);
      add_three(fours, fours_a, fours_b, fours, to_eights);
    };
    for (std::size_t e = 0; e < count; e += at_once) {
      add_eight(e, eights_a);
      add_eight(e + 8, eights_b);
      add_three(eights, eights_a, eights_b, eights, carry);
      for (std::size_t p = 4; p < planes_; ++p) {
        const BitVector own = plane(p);
        plane(p, hn::Xor(own, carry));
        carry = hn::And(own, carry);
      }
    }
    plane(0, ones);
    plane(1, twos);
    plane(2, fours);
    plane(3, eights);
  }

  /// Adds one number to the counters of some lanes; returns those that no longer fit (their excess over 2^planes
  /// stays).
  BitVector add_number(std::uint64_t number, BitVector lanes) {
    BitVector carry = hn::Zero(Bits());
    for (std::size_t p = 0; p < planes_; ++p) {
      const BitVector own = plane(p), added = (number >> p & 1) != 0 ? lanes : hn::Zero(Bits());
      BitVector sum;
      add_three(own, added, carry, sum, carry);
      plane(p, sum);
    }
    return carry;
  }

  /// Adds one mask to the planes `first` and on, up to `planes`, and returns what they carry out.
  HWY_INLINE BitVector step(BitVector carry, std::size_t first, std::size_t planes) {
    for (std::size_t p = first; p < planes; ++p) {
      const BitVector own = plane(p);
      plane(p, hn::Xor(own, carry));
      carry = hn::And(own, carry);
    }
    return carry;
  }

  /// One counter as a number.
  std::size_t value(std::size_t lane) const {
    std::size_t count = 0;
    for (std::size_t p = planes_; p-- > 0;) count = 2 * count + (words_[p][lane / 64] >> (lane % 64) & 1);
    return count;
  }

  /// Writes the counters as numbers, those of the lanes in `without` as 0.
  void write(BitVector without, std::uint32_t* counts) const {
    const hn::ScalableTag<std::uint32_t> tag;
    const std::size_t lanes = hn::Lanes(tag);
    alignas(64) std::uint64_t kept[most_planes][slice_words];
    for (std::size_t p = 0; p < planes_; ++p) hn::Store(hn::AndNot(without, plane(p)), Bits(), kept[p]);
    const auto one = hn::Set(tag, 1u), bit = hn::Shl(one, hn::Iota(tag, 0u));
    for (std::size_t lane = 0; lane < 64 * hn::Lanes(Bits()); lane += lanes) {
      auto count = hn::Zero(tag);
      for (std::size_t p = planes_; p-- > 0;) {
        const auto bits = hn::Set(tag, static_cast<std::uint32_t>(kept[p][lane / 64] >> (lane % 64)));
        count = hn::Add(hn::Add(count, count), hn::IfThenElseZero(hn::TestBit(bits, bit), one));
      }
      hn::Store(count, tag, counts + lane);
    }
  }

 private:
  std::size_t planes_ = 0;
  alignas(64) std::uint64_t words_[most_planes][slice_words];
};

}  // namespace macmi::citest::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
