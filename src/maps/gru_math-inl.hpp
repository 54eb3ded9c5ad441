// The logistic function and the hyperbolic tangent of a vector, to a few units in the last place of their own value.
#if defined(MACMI_MAPS_GRU_MATH) == defined(HWY_TARGET_TOGGLE)
#ifdef MACMI_MAPS_GRU_MATH
#undef MACMI_MAPS_GRU_MATH
#else
#define MACMI_MAPS_GRU_MATH
#endif

#include <hwy/highway.h>

HWY_BEFORE_NAMESPACE();
namespace macmi::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

using GruTag = hn::CappedTag<float, 16>;
using GruVector = hn::Vec<GruTag>;

/// e^x = power · (1 + excess), power = 2^round(x / ln 2): both parts apart, so that e^x − 1 keeps its digits near 0.
struct SplitExponential {
  GruVector power, excess;
};

/// For |x| ≤ 87. e^r − 1 = r + r² q(r) for |r| ≤ ln 2 / 2, q interpolated at five Chebyshev nodes: relative error
/// 2.5e-8 before rounding.
HWY_INLINE SplitExponential SplitExp(GruVector x) {
  const GruTag tag;
  const hn::RebindToSigned<GruTag> integers;
  // Adding 1.5 · 2^23 rounds to the nearest integer k and leaves it in the low bits. Highway's NearestInt would spend
  // as much again on numbers beyond the integers.
  const auto shift = hn::Set(tag, 12582912.0f);
  const auto shifted = hn::MulAdd(x, hn::Set(tag, 1.44269504f), shift);
  const auto k = hn::Sub(shifted, shift);
  // ln 2 in two parts, the first with zeros at its end: its product with k is exact.
  auto r = hn::NegMulAdd(k, hn::Set(tag, 0.693359375f), x);
  r = hn::NegMulAdd(k, hn::Set(tag, -2.12194440e-4f), r);
  auto q = hn::MulAdd(hn::Set(tag, 0.0013926376f), r, hn::Set(tag, 0.00836333308f));
  q = hn::MulAdd(q, r, hn::Set(tag, 0.0416665535f));
  q = hn::MulAdd(q, r, hn::Set(tag, 0.166665761f));
  q = hn::MulAdd(q, r, hn::Set(tag, 0.5f));
  const auto exponent = hn::ShiftLeft<23>(hn::BitCast(integers, shifted));
  const auto power = hn::Add(exponent, hn::BitCast(integers, hn::Set(tag, 1.0f)));
  return {hn::BitCast(tag, power), hn::MulAdd(hn::Mul(q, r), r, r)};
}

/// `x` is the second argument of Min and Max: NaN then stays NaN on x86, and a diverged training shows.
HWY_INLINE GruVector Bounded(GruVector x, float bound) {
  const GruTag tag;
  return hn::Max(hn::Set(tag, -bound), hn::Min(hn::Set(tag, bound), x));
}

HWY_INLINE GruVector Sigmoid(GruVector x) {
  const auto one = hn::Set(GruTag(), 1.0f);
  const SplitExponential e = SplitExp(Bounded(hn::Neg(x), 87.0f));
  return hn::Div(one, hn::MulAdd(e.power, e.excess, hn::Add(e.power, one)));
}

/// tanh x = (e^2x − 1) / (e^2x + 1); beyond |x| = 10 it is ±1 in single precision.
HWY_INLINE GruVector Tanh(GruVector x) {
  const GruTag tag;
  const SplitExponential e = SplitExp(Bounded(hn::Add(x, x), 20.0f));
  const auto less_one = hn::MulAdd(e.power, e.excess, hn::Sub(e.power, hn::Set(tag, 1.0f)));
  return hn::Div(less_one, hn::Add(less_one, hn::Set(tag, 2.0f)));
}

}  // namespace macmi::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();
#endif
