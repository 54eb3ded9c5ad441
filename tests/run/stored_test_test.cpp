#include "run/stored_test.hpp"

#include <gtest/gtest.h>

#include <bit>
#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "citest/null/null_distribution.hpp"

namespace macmi::run {
namespace {

StoredTest example(std::uint64_t seed) {
  base::RandomStream random{base::StreamKey(seed)};
  const auto bits = [&] { return std::bit_cast<double>((random() >> 2)); };
  StoredTest t;
  t.context = random();
  t.feature = "name, \"quoted\"";
  t.given = {"", "ünï", std::string("zero\0inside", 11)};
  t.seconds = bits();
  CiResult& r = t.result;
  r.statistic = bits(), r.effect = -0.0, r.p_value = std::numeric_limits<double>::quiet_NaN();
  r.permutations = 192, r.exceedances = 3, r.null_mean = bits(), r.null_sd = bits();
  r.z_score = std::numeric_limits<double>::infinity();
  r.n = 7, r.left_out = 1, r.k = 5;
  r.rule = "mixed", r.stopped = "why", r.permuted = std::string(1, 'x'), r.notes = {"one", "two"};
  r.scales = {{5, bits(), bits(), bits(), bits()}, {20, bits(), bits(), bits(), bits()}};
  for (const std::size_t drawn : {64, 128, 192}) {
    r.null.looks.push_back({drawn, drawn / 64});
    for (int m = 0; m < 3; ++m) r.null.score_moments.push_back(bits());
    for (int q = 0; q < 2; ++q) r.null.sums.push_back(bits()), r.null.squares.push_back(bits());
  }
  r.null.observed_score = bits(), r.tail_p = bits(), r.undecidable = seed % 2 == 1;
  r.null.centre = {bits(), bits()};
  r.null.spread = {bits(), bits()};
  for (std::size_t b = 0; b < 3 * 2 * citest::histogram_bins; ++b)
    r.null.bins.push_back(static_cast<char>(random() % 64));
  return t;
}

TEST(StoredTest, EveryBitComesBack) {
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const StoredTest t = example(seed);
    const std::string bytes = encode(t);
    const std::optional<StoredTest> back = decode(bytes);
    ASSERT_TRUE(back);
    EXPECT_EQ(encode(*back), bytes);
    EXPECT_EQ(back->given, t.given);
    EXPECT_EQ(back->result.null, t.result.null);
    EXPECT_TRUE(std::isnan(back->result.p_value));
    EXPECT_EQ(back->result.tail_p, t.result.tail_p);
    EXPECT_EQ(back->result.undecidable, t.result.undecidable);
    EXPECT_TRUE(std::signbit(back->result.effect));
    EXPECT_EQ(back->result.scales[1].z_score, t.result.scales[1].z_score);
  }
}

TEST(StoredTest, NoDamageGoesUnnoticed) {
  const std::string bytes = encode(example(1));
  for (std::size_t length = 0; length < bytes.size(); ++length) EXPECT_FALSE(decode(bytes.substr(0, length))) << length;
  for (std::size_t at = 0; at < bytes.size(); ++at) {
    std::string damaged = bytes;
    damaged[at] = static_cast<char>(damaged[at] ^ 1);
    EXPECT_FALSE(decode(damaged)) << at;
  }
}

TEST(StoredTest, RecordsAreFoundAmongOtherBytes) {
  base::RandomStream random{base::StreamKey(9)};
  std::string bytes;
  const auto noise = [&](std::size_t count) {
    for (std::size_t i = 0; i < count; ++i) bytes += static_cast<char>(random());
  };
  for (std::uint64_t seed = 0; seed < 5; ++seed) {
    noise(100 + random.below(100));
    bytes += encode(example(seed));
  }
  bytes += encode(example(5)).substr(0, 200);  // cut off
  noise(30);
  const std::vector<StoredTest> found = find_records(bytes);
  ASSERT_EQ(found.size(), 5u);
  for (std::uint64_t seed = 0; seed < 5; ++seed) EXPECT_EQ(encode(found[seed]), encode(example(seed)));
}

}  // namespace
}  // namespace macmi::run
