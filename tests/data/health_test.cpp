#include <fmt/format.h>
#include <gtest/gtest.h>

#include "base/random.hpp"
#include "data/scratch_files.hpp"
#include "macmi/dataset.hpp"

namespace macmi::data {
namespace {

using Names = std::vector<std::string>;

Dataset read(const std::string& csv, const Names& na = {}) {
  const ScratchDirectory scratch;
  DataOptions options;
  options.na = na;
  options.data = {scratch.write("data.csv", csv)};
  options.target = {"y"};
  return read_dataset(options);
}

TEST(Health, SeesEveryTroubleOnce) {
  base::RandomStream random(base::StreamKey(11).with("health"));
  std::string csv = "k,nothing,a,copy,tied,id,serial,text,inf,y\n";
  for (int i = 0; i < 60; ++i) {
    const double a = random.normal();
    csv += fmt::format("5,,{0},{0},{1},{2},s{3},{4},{5},{6}\n", a, i % 3 == 0 ? 0.0 : random.normal(), 1000 + i,
                       i * 7919 % 60, i % 2 ? "u" : "v", i == 4 ? "-inf" : fmt::format("{}", random.normal()),
                       i % 6 == 0 ? "yes" : "no");
  }
  const DataHealth health = read(csv).health;
  EXPECT_EQ(health.constant, (Names{"k", "nothing"}));
  EXPECT_EQ(health.duplicates, (std::vector<Names>{{"a", "copy"}}));
  ASSERT_EQ(health.ties.size(), 1u);
  EXPECT_EQ(health.ties[0].name, "tied");
  EXPECT_NEAR(health.ties[0].share, 1.0 / 3, 1e-12);
  EXPECT_EQ(health.ties[0].distinct, 41u);
  EXPECT_EQ(health.id_like, (Names{"id", "serial"}));
  ASSERT_EQ(health.infinite.size(), 1u);
  EXPECT_EQ(health.infinite[0].name, "inf");
  ASSERT_EQ(health.missing.size(), 2u);  // the empty column, and the infinite value
  EXPECT_EQ(health.missing[0].count, 60u);
  ASSERT_EQ(health.classes.size(), 2u);
  EXPECT_EQ(health.classes[1].count, 10u);
  EXPECT_FALSE(health.clean());
}

TEST(Health, OfGoodDataIsClean) {
  base::RandomStream random(base::StreamKey(12).with("health"));
  std::string csv = "a,b,y\n";
  for (int i = 0; i < 60; ++i) csv += fmt::format("{},{},{}\n", random.normal(), random.normal(), random.normal());
  const DataHealth health = read(csv).health;
  EXPECT_TRUE(health.clean());
  EXPECT_TRUE(health_lines(health).empty());
}

/// NA is one of the labels of a pool's quality in house data: most houses have no pool.
TEST(Health, SaysWhereAWordForMissingMayBeALabel) {
  std::string csv = "pool,other,y\n";
  for (int i = 0; i < 40; ++i)
    csv += fmt::format("{},{},{}\n", i % 5 == 0 ? (i % 2 ? "good" : "fair") : "NA", i % 7 == 0 ? "NA" : "u", i % 3);
  const Dataset usual = read(csv);
  ASSERT_EQ(usual.health.remarks.size(), 1u);
  EXPECT_NE(usual.health.remarks[0].find("'pool' is mostly 'NA'"), std::string::npos) << usual.health.remarks[0];
  EXPECT_NE(usual.health.remarks[0].find("--na none"), std::string::npos);
  EXPECT_EQ(usual.feature("pool").incomplete(), 32u);
  const Dataset none = read(csv, {"none"});
  EXPECT_TRUE(none.health.remarks.empty());
  EXPECT_EQ(none.feature("pool").columns[0].labels, (Names{"NA", "fair", "good"}));
  EXPECT_EQ(none.feature("pool").incomplete(), 0u);
  const Dataset listed = read(csv, {"u", "fair"});
  EXPECT_EQ(listed.feature("pool").columns[0].labels, (Names{"NA", "good"}));
  EXPECT_EQ(listed.feature("other").type(), ColumnType::constant);
}

TEST(Health, CodesWithZerosInFrontStayText) {
  std::string csv = "zip,number,mixed,y\n";
  for (int i = 0; i < 30; ++i)
    csv += fmt::format("{:05},{},{},{}\n", 7000 + 997 * (i % 6), i % 6, i == 3 ? "00" : fmt::format("{}.5", i), i % 2);
  const Dataset data = read(csv);
  EXPECT_EQ(data.feature("zip").type(), ColumnType::categorical);
  EXPECT_EQ(data.feature("zip").columns[0].labels[0], "07000");
  EXPECT_EQ(data.feature("number").type(), ColumnType::integer);
  EXPECT_EQ(data.feature("mixed").type(), ColumnType::continuous);
}

TEST(Health, WarnsOfLabelsThatHardlyAnySamplesShare) {
  std::string csv = "near,some,y\n";
  for (int i = 0; i < 400; ++i) csv += fmt::format("n{},s{},{}\n", i % 300, i % 100, i % 2);
  const DataHealth health = read(csv).health;
  EXPECT_TRUE(health.id_like.empty());
  ASSERT_EQ(health.remarks.size(), 1u);
  EXPECT_NE(health.remarks[0].find("'near' has 300 labels in 400 samples"), std::string::npos) << health.remarks[0];
}

TEST(Health, TheShareOfTheMostCommonValueAgreesWithCounting) {
  base::RandomStream random(base::StreamKey(13).with("ties"));
  for (int round = 0; round < 50; ++round) {
    std::map<int, int> counts;
    std::string csv = "a,y\n";
    const std::uint64_t spread = 2 + random.below(12);
    for (int i = 0; i < 97; ++i) {
      const int value = static_cast<int>(std::min(random.below(spread), random.below(spread))) + 3;
      ++counts[value];
      csv += fmt::format("{},{}\n", value, i);
    }
    const int most = std::max_element(counts.begin(), counts.end(), [](const auto& x, const auto& y) {
                       return x.second < y.second;
                     })->second;
    const DataHealth health = read(csv).health;
    if (most < 0.2 * 97) {
      EXPECT_TRUE(health.ties.empty());
    } else {
      ASSERT_EQ(health.ties.size(), 1u);
      EXPECT_DOUBLE_EQ(health.ties[0].share, most / 97.0);
      EXPECT_EQ(health.ties[0].distinct, counts.size());
    }
  }
}

TEST(Health, AHeaderThatStopsFittingIsQuestioned) {
  std::string csv = "p,q,r,s,t,u,v,y\n";
  for (int i = 0; i < 20; ++i) csv += fmt::format("{0},{0}1,{0}2,{0}3,,,,{0}\n", i);
  for (int i = 20; i < 40; ++i) csv += fmt::format("{0},,,,{0}4,{0}5,{0}6,{0}\n", i);
  const Dataset data = read(csv);
  ASSERT_EQ(data.health.remarks.size(), 1u);
  EXPECT_NE(data.health.remarks[0].find("from row 21 on, 3 columns"), std::string::npos) << data.health.remarks[0];
}

}  // namespace
}  // namespace macmi::data
