#include "select/second_pass.hpp"

#include <gtest/gtest.h>

#include "macmi/report.hpp"
#include "select/small_dataset.hpp"

namespace macmi::select {
namespace {

using testing::curved_network;
using testing::dataset_of;
using testing::numbers;

/// Of R 4.2: p.adjust(c(0.01, 0.04, 0.03, 0.005, 0.2), "BH").
TEST(SecondPass, AdjustsPValuesAsRDoes) {
  const std::vector<double> adjusted = adjusted_p_values({0.01, 0.04, 0.03, 0.005, 0.2, std::nan("")});
  const std::vector<double> expected{0.025, 0.05, 0.05, 0.025, 0.2};
  for (std::size_t i = 0; i < expected.size(); ++i) EXPECT_NEAR(adjusted[i], expected[i], 1e-12) << i;
  EXPECT_TRUE(std::isnan(adjusted[5]));
}

class SecondPassOfANetwork : public ::testing::Test {
 protected:
  static SelectOptions options(std::uint64_t threads = 1) {
    SelectOptions o;
    o.search.delta = 1;
    o.test.permutations = 256;
    o.test.threads = threads;
    return o;
  }
  const Dataset data = dataset_of(curved_network(300, 4));
};

/// Every member given the others and every outsider given the members, as a test made afresh without early stops.
TEST_F(SecondPassOfANetwork, MeasuresWithAllPermutationsGivenTheMembers) {
  const Selection found = select_features(data, options());
  ASSERT_FALSE(found.blanket.members.empty());
  const auto test = make_selection_test(data, without_early_stops(options()));
  for (const FeatureVerdict& f : found.blanket.features) {
    ASSERT_TRUE(f.measured) << f.name;
    std::vector<std::string> others = found.blanket.members;
    std::erase(others, f.name);
    EXPECT_EQ(f.measured->given, others);
    const std::size_t drawn = f.measured->test.permutations;
    EXPECT_TRUE(drawn == 256u || (drawn == 0 && f.measured->test.rule == "covariance")) << f.name;
    std::vector<std::size_t> given;
    for (const std::string& name : others) given.push_back(data.feature_index(name));
    const CiResult afresh = test->test(data.feature_index(f.name), given);
    EXPECT_EQ(f.measured->p_value, resolved_p(afresh)) << f.name;
    EXPECT_GE(f.measured->q_value, f.measured->p_value);
    EXPECT_GT(f.measured->effect_error, 0);
  }
}

// ctest label threads: one thread against several
TEST_F(SecondPassOfANetwork, IsTheSameForAnyNumberOfThreads) {
  EXPECT_EQ(selection_json(select_features(data, options(1))), selection_json(select_features(data, options(3))));
}

TEST_F(SecondPassOfANetwork, EffectsDoNotDependOnWhenTheSearchStops) {
  SelectOptions patient = options();
  patient.test.stop = StopRule::exact;
  const Selection fast = select_features(data, options()), exact = select_features(data, patient);
  ASSERT_EQ(fast.blanket.members, exact.blanket.members);
  for (std::size_t f = 0; f < fast.blanket.features.size(); ++f) {
    EXPECT_EQ(fast.blanket.features[f].measured->effect, exact.blanket.features[f].measured->effect);
    EXPECT_EQ(fast.blanket.features[f].measured->p_value, exact.blanket.features[f].measured->p_value);
  }
}

TEST_F(SecondPassOfANetwork, IsLeftOutWhenAsked) {
  SelectOptions bare = options();
  bare.no_evidence = true;
  const Selection found = select_features(data, bare);
  EXPECT_FALSE(found.sufficiency);
  for (const FeatureVerdict& f : found.blanket.features) EXPECT_FALSE(f.measured) << f.name;
}

TEST_F(SecondPassOfANetwork, ComesBackFromJson) {
  const Selection found = select_features(data, options());
  const std::string json = selection_json(found);
  EXPECT_EQ(selection_json(read_selection_json(json, "test")), json);
}

/// 60 columns of what is given are too many for 200 samples: the row says so.
TEST(SecondPass, SaysWhereTheRestHasTooManyColumns) {
  base::RandomStream random(base::StreamKey(3));
  Dataset data = dataset_of({numbers("x", std::vector<double>(200)), numbers("y", std::vector<double>(200))});
  Feature block;
  block.name = "block";
  block.channels = 60;
  for (int c = 0; c < 60; ++c) {
    block.columns.push_back(numbers("b" + std::to_string(c), std::vector<double>(200)));
    for (double& v : block.columns.back().values) v = random.normal();
  }
  for (std::size_t i = 0; i < 200; ++i) {
    data.features[0].columns[0].values[i] = random.normal();
    data.target.columns[0].values[i] =
        data.features[0].columns[0].values[i] + block.columns[0].values[i] + 0.5 * random.normal();
  }
  data.features.push_back(block);
  SelectOptions options;
  options.method = Method::fisherz;
  options.maps.kind = MapKind::none;
  options.search.must = {"block", "x"};
  const Selection found = select_features(data, options);
  const FeatureVerdict& x = found.blanket.features[1];
  ASSERT_EQ(x.name, "x");
  ASSERT_TRUE(x.measured);
  EXPECT_TRUE(std::isnan(x.measured->effect));
  EXPECT_NE(x.measured->remark.find("60 columns"), std::string::npos) << x.measured->remark;
}

}  // namespace
}  // namespace macmi::select
