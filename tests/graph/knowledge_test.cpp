#include <gtest/gtest.h>

#include "graph/knowledge.hpp"
#include "macmi/error.hpp"

namespace macmi::graph {
namespace {

const std::vector<std::string> names{"a", "a->b", "b", "c", "d", "rain, heavy"};

std::string refusal(const KnowledgeTexts& texts) {
  try {
    read_knowledge(texts, names);
  } catch (const InputError& error) {
    return error.what();
  }
  return "";
}

TEST(Knowledge, EdgesAndOrders) {
  const Knowledge known = read_knowledge(
      {.must = {"a->c", "b -- d"}, .never = {"c->d", "a--d"}, .order = "a, b | \"rain, heavy\" | c"}, names);
  EXPECT_TRUE(known.must_join(0, 3) && known.must_join(3, 0) && known.must_join(2, 4));
  EXPECT_TRUE(known.may_cause(0, 3) && !known.may_cause(3, 0));
  EXPECT_TRUE(known.may_cause(2, 4) && known.may_cause(4, 2));
  EXPECT_TRUE(!known.may_cause(3, 4) && known.may_cause(4, 3));
  EXPECT_FALSE(known.may_join(0, 4));
  EXPECT_TRUE(known.may_cause(0, 5) && !known.may_cause(5, 0) && !known.may_cause(3, 5));
  EXPECT_TRUE(known.may_cause(0, 2) && known.may_cause(2, 0)) << "one part of the order";
  EXPECT_TRUE(known.may_cause(1, 5) && known.may_cause(5, 1)) << "not named in the order";
}

TEST(Knowledge, NamesMayHoldTheSignOfAnEdge) {
  EXPECT_TRUE(read_knowledge({.must = {"a->b->c"}}, names).must_join(1, 3));
}

TEST(Knowledge, ContradictionsAreRefused) {
  EXPECT_NE(refusal({.must = {"a->b", "b->c", "c->a"}}).find("cycle"), std::string::npos);
  EXPECT_NE(refusal({.must = {"a->b", "b->a"}}).find("contradicts"), std::string::npos);
  EXPECT_NE(refusal({.must = {"a->b"}, .never = {"a--b"}}).find("contradicts"), std::string::npos);
  EXPECT_NE(refusal({.must = {"c->a"}, .order = "a | c"}).find("contradicts"), std::string::npos);
  EXPECT_NE(refusal({.must = {"a--b", "b--c", "c->a"}, .never = {"b->a", "c->b"}}).find("cycle"), std::string::npos)
      << "directions that follow from --never";
}

TEST(Knowledge, UnknownNamesAndOtherWordsAreRefused) {
  EXPECT_NE(refusal({.must = {"a->bb"}}).find("there is no node 'bb'"), std::string::npos);
  EXPECT_NE(refusal({.never = {"x->a"}}).find("--never: there is no node 'x'"), std::string::npos);
  EXPECT_NE(refusal({.order = "a | e"}).find("--order: there is no node 'e'"), std::string::npos);
  EXPECT_NE(refusal({.order = "a | b, a"}).find("named twice"), std::string::npos);
  EXPECT_NE(refusal({.must = {"a"}}).find("'a->b'"), std::string::npos);
  EXPECT_NE(refusal({.must = {"a->a"}}).find("two different nodes"), std::string::npos);
}

}  // namespace
}  // namespace macmi::graph
