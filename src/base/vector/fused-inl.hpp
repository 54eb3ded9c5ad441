// a · b + c rounded once, on every instruction set: Highway's MulAdd fuses on some only, and training has to give the
// same bits on all.
#if defined(MACMI_BASE_FUSED) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_BASE_FUSED
#undef MACMI_BASE_FUSED
#else
#define MACMI_BASE_FUSED
#endif

#include <hwy/highway.h>

#include <cmath>

HWY_BEFORE_NAMESPACE();
namespace macmi::base::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

#if HWY_NATIVE_FMA

template <class V>
HWY_INLINE V FusedMulAdd(V a, V b, V c) {
  return hn::MulAdd(a, b, c);
}

#elif HWY_TARGET == HWY_SCALAR

template <class V>
HWY_INLINE V FusedMulAdd(V a, V b, V c) {
  return hn::Set(hn::DFromV<V>(), std::fma(hn::GetLane(a), hn::GetLane(b), hn::GetLane(c)));
}

#else

/// In double precision the product of two floats is exact. The sum is rounded to odd (Boldo & Melquiond 2008), so that
/// the second rounding, to single precision, gives what one rounding would have given. Slow, and only for CPUs from
/// before 2013.
template <class D>
HWY_INLINE hn::Vec<D> ProductPlusToOdd(D tag, hn::Vec<D> a, hn::Vec<D> b, hn::Vec<D> c) {
  const hn::RebindToSigned<D> integers;
  const auto product = hn::Mul(a, b), sum = hn::Add(product, c);
  const auto part = hn::Sub(sum, product);
  const auto error = hn::Add(hn::Sub(product, hn::Sub(sum, part)), hn::Sub(c, part));  // Knuth's TwoSum: exact
  const auto zero = hn::Zero(tag);
  const auto bits = hn::BitCast(integers, sum), one = hn::Set(integers, 1);
  const auto even = hn::Eq(hn::And(bits, one), hn::Zero(integers));
  const auto outward = hn::Lt(hn::Mul(error, sum), zero);  // the error points towards zero
  const auto odd = hn::IfThenElse(hn::RebindMask(integers, outward), hn::Sub(bits, one), hn::Add(bits, one));
  const auto inexact = hn::And(hn::RebindMask(integers, hn::Ne(error, zero)), even);
  const auto finite = hn::RebindMask(integers, hn::Eq(error, error));
  return hn::BitCast(tag, hn::IfThenElse(hn::And(inexact, finite), odd, bits));
}

template <class V>
HWY_INLINE V FusedMulAdd(V a, V b, V c) {
  const hn::DFromV<V> tag;
  const hn::Half<decltype(tag)> half;
  const hn::Rebind<double, decltype(half)> wide;
  const auto lower = [&](V v) HWY_ATTR { return hn::PromoteTo(wide, hn::LowerHalf(half, v)); };
  const auto upper = [&](V v) HWY_ATTR { return hn::PromoteTo(wide, hn::UpperHalf(half, v)); };
  const auto low = ProductPlusToOdd(wide, lower(a), lower(b), lower(c));
  const auto high = ProductPlusToOdd(wide, upper(a), upper(b), upper(c));
  return hn::Combine(tag, hn::DemoteTo(half, high), hn::DemoteTo(half, low));
}

#endif

template <class V>
HWY_INLINE V FusedNegMulAdd(V a, V b, V c) {
  return FusedMulAdd(hn::Neg(a), b, c);
}

}  // namespace macmi::base::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
