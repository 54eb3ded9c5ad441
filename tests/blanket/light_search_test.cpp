#include "blanket/light_search.hpp"

#include <gtest/gtest.h>

#include "blanket/graphs.hpp"
#include "blanket/scripted_test.hpp"

namespace macmi::blanket {
namespace {

using testing::names_of;
using testing::node_names;

/// With a test that is never wrong the answer does not depend on the start.
TEST(LightSearch, EndsAtTheBlanketFromAnyStart) {
  base::RandomStream random(base::StreamKey(5).with("light"));
  for (std::size_t g = 0; g < 300; ++g) {
    const std::size_t nodes = 3 + g % 10, target = random.below(nodes);
    const Dag dag = testing::random_dag(nodes, 0.1 + 0.15 * static_cast<double>(random.below(5)), random);
    const DSeparationTest test(dag, target, node_names(nodes));
    KnownAnswer start;
    start.searched = nodes - 1;
    for (const std::string& name : test.features()) (random.below(2) ? start.members : start.others).push_back(name);
    if (!start.members.empty()) start.stand_ins[start.members.front()] = start.others;
    SearchOptions options;
    options.threads = 1;
    ASSERT_EQ(light_search(test, options, {}, start).members, names_of(markov_blanket(dag, target))) << "graph " << g;
  }
}

TEST(LightSearch, AsksNothingButTheFeaturesOfTheAnswer) {
  Dag dag(5);  // 1 → 0 ← 2, 3 → 0; 4 is alone
  for (const std::size_t parent : {1, 2, 3}) dag.add_edge(parent, 0);
  const DSeparationTest test(dag, 0, node_names(5));
  KnownAnswer start;
  start.members = {"v1"}, start.others = {"v2"}, start.searched = 4;
  std::set<std::size_t> asked;
  SearchHooks hooks;
  hooks.on_test = [&](const TestRecord& record) { asked.insert(record.feature); };
  SearchOptions options;
  options.threads = 1;
  EXPECT_EQ(light_search(test, options, {}, start, hooks).members, (std::vector<std::string>{"v1", "v2"}));
  EXPECT_EQ(asked.size(), 2u);
}

FeatureVerdict verdict(const char* name, Role role, double p) {
  FeatureVerdict f;
  f.name = name;
  f.role = role;
  f.deciding = Evidence{};
  f.deciding->result.p_value = p;
  return f;
}

TEST(LightSearch, AnAnswerIsItsMembersTheirStandInsAndTheNearestOthers) {
  Blanket blanket;
  blanket.features = {verdict("a", Role::adjacent, 0.001), verdict("b", Role::excluded, 0.5),
                      verdict("c", Role::excluded, 0.06), verdict("d", Role::excluded, 0.9),
                      verdict("e", Role::excluded, 0.2)};
  blanket.features[0].interchangeable = {"d"};
  blanket.features.push_back(verdict("f", Role::excluded, 0.001));
  blanket.features.back().same_as = "a";
  blanket.features.back().reason = Reason::copy;
  // Two tests to compare a with d, two of a and d given the members, and one for each of the others.
  const KnownAnswer found = known_answer(blanket, 6);
  EXPECT_EQ(found.members, std::vector<std::string>{"a"});
  EXPECT_EQ(found.stand_ins.at("a"), std::vector<std::string>{"d"});
  EXPECT_EQ(found.others, (std::vector<std::string>{"c", "e"}));  // by p; b has no room
  EXPECT_EQ(found.searched, 5u);                                  // the copy is not
  EXPECT_EQ(found.tests(), 6u);
  EXPECT_EQ(found.asked(), (std::vector<std::string>{"a", "c", "d", "e"}));
}

}  // namespace
}  // namespace macmi::blanket
