// Pairs as candidates: what only they bring in, and what they must not change.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <algorithm>

#include "base/random.hpp"
#include "blanket/d_separation.hpp"
#include "blanket/graphs.hpp"
#include "macmi/blanket.hpp"

namespace macmi::blanket {
namespace {

using Names = std::vector<std::string>;

/// The target is the parity of v0 and v1 and depends on v2; v3 is a noisy copy of v1; the rest is noise.
class Parity : public TargetCiTest {
 public:
  std::span<const std::string> features() const override { return names_; }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
    const auto holds = [&](std::size_t f) { return std::count(given.begin(), given.end(), f) != 0; };
    CiResult r;
    const bool depends = x == 0   ? holds(1) || holds(3)
                         : x == 1 ? holds(0)
                         : x == 2 ? true
                         : x == 3 ? holds(0) && !holds(1)
                                  : false;
    r.p_value = depends ? 1e-8 : 0.6;
    r.effect = depends ? 0.3 : 0;
    return r;
  }

 private:
  Names names_ = testing::node_names(20);
};

FeatureFacts with(std::vector<FeaturePair> pairs) {
  FeatureFacts facts;
  facts.pairs = std::move(pairs);
  return facts;
}

const FeatureVerdict& verdict(const Blanket& blanket, const std::string& name) {
  return *std::find_if(blanket.features.begin(), blanket.features.end(), [&](const auto& f) { return f.name == name; });
}

TEST(Partners, JoinTogetherWhereNeitherWouldAlone) {
  EXPECT_EQ(find_blanket(Parity(), {.threads = 1}).members, Names{"v2"});
  const Blanket found = find_blanket(Parity(), {.threads = 1}, with({{"v0", "v1", 0.6, 0.01, 0.02}}));
  EXPECT_EQ(found.members, (Names{"v0", "v1", "v2"}));
  ASSERT_TRUE(verdict(found, "v0").partner && verdict(found, "v1").partner);
  EXPECT_EQ(verdict(found, "v0").partner->name, "v1");
  EXPECT_EQ(verdict(found, "v0").partner->alone, 0.01);
  EXPECT_EQ(verdict(found, "v1").partner->alone, 0.02);
  EXPECT_EQ(verdict(found, "v1").partner->information, 0.6);
  EXPECT_FALSE(verdict(found, "v2").partner);
}

/// The copy makes a pair, too, even the surest one: the fixpoint ends at the feature itself.
TEST(Partners, WhatFollowsFromAPartnerStaysOutside) {
  for (const auto& pairs : {std::vector<FeaturePair>{{"v0", "v1", 0.6}, {"v3", "v0", 0.5}},
                            std::vector<FeaturePair>{{"v3", "v0", 0.6}, {"v0", "v1", 0.5}}}) {
    const Blanket found = find_blanket(Parity(), {.threads = 1}, with(pairs));
    EXPECT_EQ(found.members, (Names{"v0", "v1", "v2"}));
    EXPECT_EQ(verdict(found, "v0").partner->name, "v1");
    EXPECT_FALSE(verdict(found, "v3").partner);
  }
}

TEST(Partners, PairsOfNoiseDoNotJoin) {
  const Blanket found = find_blanket(Parity(), {.threads = 1}, with({{"v10", "v11", 0.4}, {"v2", "v12", 0.3}}));
  EXPECT_EQ(found.members, Names{"v2"});
}

TEST(Partners, DirectCausesWithoutChildren) {
  const Blanket found = find_blanket(Parity(), {.no_children = true, .threads = 1}, with({{"v0", "v1", 0.6}}));
  EXPECT_EQ(found.members, (Names{"v0", "v1", "v2"}));
  for (const std::string& name : found.members) EXPECT_EQ(verdict(found, name).role, Role::adjacent);
}

/// Copies stand for the one that is searched; forbidden features and the paper's procedure know no pairs.
TEST(Partners, CopiesForbiddenFeaturesAndOtherProcedures) {
  FeatureFacts facts = with({{"v0", "v9", 0.6}});
  facts.duplicates = {{"v1", "v9"}};
  const Blanket found = find_blanket(Parity(), {.threads = 1}, facts);
  EXPECT_EQ(found.members, (Names{"v0", "v1", "v2"}));
  EXPECT_EQ(verdict(found, "v0").partner->name, "v1");
  EXPECT_EQ(find_blanket(Parity(), {.never = {"v1"}, .threads = 1}, with({{"v0", "v1", 0.6}})).members, Names{"v2"});
  EXPECT_EQ(find_blanket(Parity(), {.search = SearchProcedure::paper, .threads = 1}, with({{"v0", "v1", 0.6}})).members,
            Names{"v2"});
}

TEST(Partners, ManyPairsEndWithAWord) {
  std::vector<FeaturePair> pairs;
  for (int a = 4; a < 20; ++a)
    for (int b = a + 1; b < 20; ++b) pairs.push_back({fmt::format("v{}", a), fmt::format("v{}", b), 0.1});
  const Blanket found = find_blanket(Parity(), {.threads = 1}, with(pairs));
  EXPECT_EQ(found.members, Names{"v2"});
  ASSERT_EQ(found.notes.size(), 1u);
  EXPECT_NE(found.notes[0].find("120 pairs"), std::string::npos);
}

/// Whatever pairs are named, right or wrong ones, the answer of a test that is never wrong is the blanket.
TEST(Partners, TheAnswerStaysExactWithDSeparation) {
  for (std::uint64_t seed = 0; seed < 600; ++seed) {
    base::RandomStream random(base::StreamKey(seed).with("pairs of a graph"));
    const std::size_t nodes = 4 + random.below(7);
    const Dag dag = testing::random_dag(nodes, 0.1 + 0.5 * random.uniform(), random);
    const std::size_t target = random.below(nodes);
    const DSeparationTest test(dag, target, testing::node_names(nodes));
    std::vector<FeaturePair> pairs;
    for (std::size_t pair = 0; pair < 6; ++pair) {
      const std::size_t a = random.below(nodes), b = random.below(nodes);
      if (a != b && a != target && b != target) pairs.push_back({fmt::format("v{}", a), fmt::format("v{}", b), 0.1});
    }
    EXPECT_EQ(find_blanket(test, {.delta = seed % 4, .threads = 1}, with(pairs)).members,
              testing::names_of(markov_blanket(dag, target)))
        << seed;
  }
}

}  // namespace
}  // namespace macmi::blanket
