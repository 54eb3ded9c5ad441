#include "base/random.hpp"

#include <gtest/gtest.h>

#include <set>

namespace macmi::base {
namespace {

TEST(RandomStream, DependsOnEveryPartOfTheKey) {
  std::set<std::uint64_t> first;
  const StreamKey seeds[] = {StreamKey(0), StreamKey(1)};
  for (const StreamKey& seed : seeds)
    for (const char* name : {"x", "y", "xy", ""})
      for (std::uint64_t index : {0u, 1u, 2u}) first.insert(RandomStream(seed.with(name).with(index))());
  EXPECT_EQ(first.size(), 2u * 4u * 3u);
  EXPECT_NE(StreamKey(0).with("a").with("bc").value(), StreamKey(0).with("ab").with("c").value());
}

TEST(RandomStream, BelowIsUniform) {
  // 60,000 draws from 6: each count is Binomial(60000, 1/6), sd 91; 5 sd leaves a chance of 3e-6 over the six.
  RandomStream random(StreamKey(3).with("die"));
  int counts[6] = {};
  for (int i = 0; i < 60000; ++i) ++counts[random.below(6)];
  for (const int count : counts) EXPECT_NEAR(count, 10000, 5 * 91);
}

// ctest label long: moments over many draws
TEST(RandomStream, NormalHasUnitMoments) {
  // Mean of 100,000: sd 0.0032; mean square: sd 0.0045. Five of each.
  RandomStream random(StreamKey(4));
  double sum = 0, squares = 0;
  for (int i = 0; i < 100000; ++i) {
    const double v = random.normal();
    sum += v;
    squares += v * v;
  }
  EXPECT_NEAR(sum / 1e5, 0, 0.016);
  EXPECT_NEAR(squares / 1e5, 1, 0.0225);
}

}  // namespace
}  // namespace macmi::base
