// FusedMulAdd of every instruction set against std::fma, one rounding by definition.
#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "base/vector/aligned.hpp"
#include "maps/every_simd.hpp"

#undef HWY_TARGET_INCLUDE
#define HWY_TARGET_INCLUDE "base/fused_test.cpp"
#include <hwy/foreach_target.h>  // IWYU pragma: keep
#include <hwy/highway.h>

#include "base/vector/fused-inl.hpp"

HWY_BEFORE_NAMESPACE();
namespace macmi::base::HWY_NAMESPACE {
namespace hn = hwy::HWY_NAMESPACE;

void FuseAll(const float* a, const float* b, const float* c, std::size_t count, float* sums, float* differences) {
  const hn::CappedTag<float, 16> tag;
  for (std::size_t i = 0; i < count; i += hn::Lanes(tag)) {
    const auto x = hn::Load(tag, a + i), y = hn::Load(tag, b + i), z = hn::Load(tag, c + i);
    hn::Store(FusedMulAdd(x, y, z), tag, sums + i);
    hn::Store(FusedNegMulAdd(x, y, z), tag, differences + i);
  }
}

}  // namespace macmi::base::HWY_NAMESPACE
HWY_AFTER_NAMESPACE();

#if HWY_ONCE
namespace macmi::base {
namespace {

HWY_EXPORT(FuseAll);

struct Inputs {
  AlignedVector<float> a, b, c;
  void add(float x, float y, float z) { a.push_back(x), b.push_back(y), c.push_back(z); }
};

/// Any 32 bits: huge, tiny, subnormal, infinite and NaN numbers all come up.
float any_float(RandomStream& random) {
  return std::bit_cast<float>(static_cast<std::uint32_t>(random()));
}

/// Sums that hardly miss the middle between two floats: a second rounding would go astray.
void add_near_ties(Inputs& in, RandomStream& random) {
  for (int i = 0; i < 20000; ++i) {
    const float z = std::ldexp(static_cast<float>(1 + random.uniform()), static_cast<int>(random.below(40)) - 20);
    const float half_unit = std::ldexp(std::nextafter(z, 1e30F) - z, -1);
    const int small = 1 + static_cast<int>(random.below(24));
    const float a = 1 + std::ldexp(1.0F, -small), b = half_unit * (1 - std::ldexp(1.0F, -small));
    in.add(a, b, random.below(2) ? z : -z);  // a · b = half_unit · (1 − 2^−2small)
    in.add(a, -b, z);
    in.add(std::ldexp(half_unit, small), std::ldexp(1.0F, -small), z);  // a tie, to even
  }
}

Inputs inputs() {
  RandomStream random(StreamKey(5).with("fused"));
  Inputs in;
  for (int i = 0; i < 100000; ++i) in.add(any_float(random), any_float(random), any_float(random));
  for (int i = 0; i < 50000; ++i)
    in.add(static_cast<float>(random.normal()), static_cast<float>(random.normal()),
           static_cast<float>(random.normal()));
  for (int i = 0; i < 50000; ++i) {  // results among the subnormal numbers, and beyond the largest
    const int shift = i % 2 ? -70 : 63;
    in.add(std::ldexp(static_cast<float>(random.normal()), shift),
           std::ldexp(static_cast<float>(random.normal()), shift),
           std::ldexp(static_cast<float>(random.normal()), 2 * shift));
  }
  add_near_ties(in, random);
  constexpr float infinity = std::numeric_limits<float>::infinity(), nan = std::numeric_limits<float>::quiet_NaN(),
                  largest = std::numeric_limits<float>::max(), least = std::numeric_limits<float>::denorm_min(),
                  normal = std::numeric_limits<float>::min();
  const float special[] = {0.0F,    -0.0F,    1.0F,  -1.0F,  infinity, -infinity, nan,
                           largest, -largest, least, -least, normal,   -normal};
  for (const float x : special)
    for (const float y : special)
      for (const float z : special) in.add(x, y, z);
  while (in.a.size() % 16 != 0) in.add(0, 0, 0);
  return in;
}

bool same_number(float got, float want) {
  return std::isnan(want) ? std::isnan(got) : std::bit_cast<std::uint32_t>(got) == std::bit_cast<std::uint32_t>(want);
}

TEST(Fused, MultiplyAddRoundsOnceOnEveryInstructionSet) {
  const Inputs in = inputs();
  AlignedVector<float> sums(in.a.size()), differences(in.a.size());
  testing::for_every_simd([&](const std::string& simd) {
    HWY_DYNAMIC_DISPATCH(FuseAll)(in.a.data(), in.b.data(), in.c.data(), in.a.size(), sums.data(), differences.data());
    std::size_t wrong = 0;
    for (std::size_t i = 0; i < sums.size(); ++i) {
      const float want = std::fma(in.a[i], in.b[i], in.c[i]), less = std::fma(-in.a[i], in.b[i], in.c[i]);
      if (same_number(sums[i], want) && same_number(differences[i], less)) continue;
      if (++wrong < 5)
        ADD_FAILURE() << simd << ": " << in.a[i] << " * " << in.b[i] << " + " << in.c[i] << " gave " << sums[i]
                      << " and " << differences[i] << ", not " << want << " and " << less;
    }
    EXPECT_EQ(wrong, 0U) << simd;
  });
}

}  // namespace
}  // namespace macmi::base
#endif
