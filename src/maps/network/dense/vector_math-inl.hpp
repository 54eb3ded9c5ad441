// The logistic function and the hyperbolic tangent of a vector, to a few units in the last place of their own value,
// with the same bits on every instruction set.
#if defined(MACMI_MAPS_VECTOR_MATH) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_MAPS_VECTOR_MATH
#undef MACMI_MAPS_VECTOR_MATH
#else
#define MACMI_MAPS_VECTOR_MATH
#endif

#include <hwy/highway.h>

#include "base/vector/fused-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::maps::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;
using base::HWY_NAMESPACE::FusedMulAdd;
using base::HWY_NAMESPACE::FusedNegMulAdd;

using FloatTag = hn::CappedTag<float, 16>;
using FloatVector = hn::Vec<FloatTag>;

/// e^x = power · (1 + excess), power = 2^round(x / ln 2): both parts apart, so that e^x − 1 keeps its digits near 0.
struct SplitExponential {
  FloatVector power, excess;
};

/// For |x| ≤ 87. e^r − 1 = r + r² q(r) for |r| ≤ ln 2 / 2, q interpolated at five Chebyshev nodes: relative error
/// 2.5e-8 before rounding.
HWY_INLINE SplitExponential SplitExp(FloatVector x) {
  const FloatTag tag;
  const hn::RebindToSigned<FloatTag> integers;
  // Adding 1.5 · 2^23 rounds to the nearest integer k and leaves it in the low bits. Highway's NearestInt would spend
  // as much again on numbers beyond the integers.
  const auto shift = hn::Set(tag, 12582912.0f);
  const auto shifted = FusedMulAdd(x, hn::Set(tag, 1.44269504f), shift);
  const auto k = hn::Sub(shifted, shift);
  // ln 2 in two parts, the first with zeros at its end: its product with k is exact.
  auto r = FusedNegMulAdd(k, hn::Set(tag, 0.693359375f), x);
  r = FusedNegMulAdd(k, hn::Set(tag, -2.12194440e-4f), r);
  auto q = FusedMulAdd(hn::Set(tag, 0.0013926376f), r, hn::Set(tag, 0.00836333308f));
  q = FusedMulAdd(q, r, hn::Set(tag, 0.0416665535f));
  q = FusedMulAdd(q, r, hn::Set(tag, 0.166665761f));
  q = FusedMulAdd(q, r, hn::Set(tag, 0.5f));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(integers, shifted));
  const auto power = hn::Add(exponent, hn::BitCast(integers, hn::Set(tag, 1.0f)));
  return {hn::BitCast(tag, power), FusedMulAdd(hn::Mul(q, r), r, r)};
}

/// NaN stays NaN, so that a diverged training shows: `x` is the second argument of x86's minimum and maximum, and the
/// scalar ones, which are the C++ library's, are not asked.
HWY_INLINE FloatVector Bounded(FloatVector x, float bound) {
  const FloatTag tag;
  const auto low = hn::Set(tag, -bound), high = hn::Set(tag, bound);
#if HWY_TARGET == HWY_SCALAR
  return hn::IfThenElse(hn::Lt(x, low), low, hn::IfThenElse(hn::Lt(high, x), high, x));
#else
  return hn::Max(low, hn::Min(high, x));
#endif
}

HWY_INLINE FloatVector Sigmoid(FloatVector x) {
  const auto one = hn::Set(FloatTag(), 1.0f);
  const SplitExponential e = SplitExp(Bounded(hn::Neg(x), 87.0f));
  return hn::Div(one, FusedMulAdd(e.power, e.excess, hn::Add(e.power, one)));
}

/// tanh x = (e^2x − 1) / (e^2x + 1); beyond |x| = 10 it is ±1 in single precision.
HWY_INLINE FloatVector Tanh(FloatVector x) {
  const FloatTag tag;
  const SplitExponential e = SplitExp(Bounded(hn::Add(x, x), 20.0f));
  const auto less_one = FusedMulAdd(e.power, e.excess, hn::Sub(e.power, hn::Set(tag, 1.0f)));
  return hn::Div(less_one, hn::Add(less_one, hn::Set(tag, 2.0f)));
}

}  // namespace macmi::maps::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
