// Pairs that matter only together are named, others are not: XOR, products and rotated ones among noise, and tables
// without an interaction.
#include "interactions/find_pairs.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "macmi/error.hpp"

namespace macmi::interactions {
namespace {

enum class Kind { exclusive_or, rotated, product, labels, additive, strong_single, noise };

DataColumn numbers(std::vector<double> values) {
  DataColumn column;
  column.values = std::move(values);
  return column;
}

/// Columns a and b, 58 of noise, and the target.
Dataset draw(Kind kind, std::size_t n, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("find pairs"));
  std::vector<std::vector<double>> x(60, std::vector<double>(n));
  std::vector<double> y(n);
  std::vector<std::int32_t> label(n), label_b(n);
  for (std::size_t i = 0; i < n; ++i) {
    for (auto& column : x) column[i] = random.normal();
    const double a = x[0][i], b = x[1][i], c = std::cos(0.4), s = std::sin(0.4);
    label[i] = static_cast<std::int32_t>(random.below(9)), label_b[i] = static_cast<std::int32_t>(random.below(3));
    y[i] = random.normal();
    if (kind == Kind::exclusive_or) y[i] = (a > 0) != (b > 0);
    if (kind == Kind::rotated) y[i] = (c * a + s * b) * (c * b - s * a) > 0;
    if (kind == Kind::product) y[i] = a * b + 0.5 * y[i];
    if (kind == Kind::labels) y[i] = (label[i] + label_b[i]) % 3 == 0 ? 2.0 : y[i];
    if (kind == Kind::additive) y[i] = 0.4 * (a + b) + y[i];
    if (kind == Kind::strong_single) y[i] = a + 0.1 * y[i];
  }
  Dataset data;
  for (std::size_t f = 0; f < x.size(); ++f) {
    Feature& feature = data.features.emplace_back();
    feature.name = fmt::format("x{:02}", f);
    feature.columns = {numbers(x[f])};
    if (kind == Kind::labels && f < 2) {
      feature.columns = {DataColumn()};
      feature.columns[0].codes = f == 0 ? label : label_b;
    }
  }
  data.target.name = "y";
  data.target.columns = {numbers(y)};
  data.rows.resize(n);
  return data;
}

std::vector<FeaturePair> found(const Dataset& data, std::uint64_t seed = 0, std::size_t threads = 1) {
  PairSearch search;
  search.seed = seed, search.threads = threads;
  return find_pairs(quantise(data, seed), data.feature_names(), search);
}

TEST(FindPairs, NamesWhatMattersOnlyTogether) {
  for (const Kind kind : {Kind::exclusive_or, Kind::rotated, Kind::product, Kind::labels})
    for (std::uint64_t seed = 0; seed < 3; ++seed) {
      const std::vector<FeaturePair> pairs = found(draw(kind, 600, seed));
      ASSERT_EQ(pairs.size(), 1u) << static_cast<int>(kind) << " " << seed;
      EXPECT_EQ(pairs[0].a, "x00");
      EXPECT_EQ(pairs[0].b, "x01");
      EXPECT_GT(pairs[0].information, 0.05);
    }
}

/// A clean XOR tells ln 2 nats; columns cut at their medians, which are not quite 0, lose a little of it.
TEST(FindPairs, InformationIsInNats) {
  const FeaturePair pair = found(draw(Kind::exclusive_or, 2000, 5)).at(0);
  EXPECT_NEAR(pair.information, std::log(2.0), 0.15);
  EXPECT_LT(pair.alone_a, 0.01);
  EXPECT_LT(pair.alone_b, 0.01);
}

/// At a level of 0.01 one table in a hundred names a pair; two of 90 have a probability of 0.22, four of 0.013.
TEST(FindPairs, NamesNothingWhereNothingIs) {
  std::size_t tables = 0;
  for (const Kind kind : {Kind::noise, Kind::additive, Kind::strong_single})
    for (std::uint64_t seed = 0; seed < 30; ++seed) {
      const std::vector<FeaturePair> pairs = found(draw(kind, 300, 100 + seed), seed);
      // What an additive target leaves of one cause is larger once the other is known: a true synergy of x00 and x01.
      tables += std::any_of(pairs.begin(), pairs.end(), [](const auto& p) { return p.a != "x00" || p.b != "x01"; });
    }
  EXPECT_LE(tables, 3u);
}

TEST(FindPairs, SameForAnyThreadsAndOrderOfColumns) {
  Dataset data = draw(Kind::exclusive_or, 500, 9);
  for (std::size_t i = 0; i < 500; ++i) {  // a second interaction, and gaps
    if (i % 7 == 0) data.features[3].columns[0].values[i] = std::nan("");
    if (data.features[5].columns[0].values[i] * data.features[6].columns[0].values[i] > 0.8)
      data.target.columns[0].values[i] = 2;
  }
  const auto flat = [](const std::vector<FeaturePair>& pairs) {
    std::string text;
    for (const FeaturePair& p : pairs)
      text += fmt::format("{} {} {} {} {};", p.a, p.b, p.information, p.alone_a, p.alone_b);
    return text;
  };
  const std::string expected = flat(found(data, 4));
  EXPECT_NE(expected.find("x00 x01"), std::string::npos);
  EXPECT_NE(expected.find("x05 x06"), std::string::npos);
  std::reverse(data.features.begin(), data.features.end());
  EXPECT_EQ(flat(found(data, 4, 3)), expected);
}

/// Two columns of one block make no pair; of the pairs of columns of two features the surest counts.
TEST(FindPairs, BlocksAreFeatures) {
  Dataset data = draw(Kind::exclusive_or, 400, 3);
  Feature block = data.features[0];
  block.columns.push_back(data.features[1].columns[0]);
  block.channels = 2;
  Dataset joined = data;
  joined.features.erase(joined.features.begin());
  joined.features[0] = block;
  EXPECT_TRUE(found(joined).empty());
  EXPECT_EQ(pair_count(quantise(joined, 0)), 60u * 59 / 2 - 1);
  data.features[0].columns.push_back(data.features[9].columns[0]);
  data.features[0].channels = 2;
  ASSERT_EQ(found(data).size(), 1u);
  EXPECT_EQ(found(data)[0].b, "x01");
}

TEST(FindPairs, CanBeCancelledAndSaysHowFar) {
  PairSearch search;
  search.threads = 2;
  double last = -1;
  search.go_on = [&](double done) {
    EXPECT_GE(done, last);
    EXPECT_LT(done, 1);
    last = done;
    return done < 0.5;
  };
  const Dataset data = draw(Kind::noise, 100, 1);
  EXPECT_THROW(find_pairs(quantise(data, 0), data.feature_names(), search), Cancelled);
}

}  // namespace
}  // namespace macmi::interactions
