#include "base/number_of.hpp"

#include <gtest/gtest.h>

#include "base/suggest.hpp"

namespace macmi::base {
namespace {

TEST(NumberOf, OneIsSingularAndAllOthersArePlural) {
  EXPECT_EQ(number_of(0, "stored test"), "0 stored tests");
  EXPECT_EQ(number_of(1, "stored test"), "1 stored test");
  EXPECT_EQ(number_of(2, "stored test"), "2 stored tests");
  EXPECT_EQ(number_of(1, "search", "searches"), "1 search");
  EXPECT_EQ(number_of(3, "search", "searches"), "3 searches");
}

TEST(NameHint, NamesTheNearestOrWhatThereIs) {
  EXPECT_EQ(name_hint("tmperature", {"pressure", "temperature"}), "; did you mean 'temperature'?");
  EXPECT_EQ(name_hint("qqqqqqqq", {"age", "fee"}), "; there are: age, fee");
  const std::vector<std::string> nine{"aa", "bb", "cc", "dd", "ee", "ff", "gg", "hh", "ii"};
  EXPECT_EQ(name_hint("qqqqqqqq", nine), "; there are: aa, bb, cc, dd, ee, ff, gg, hh, …");
}

}  // namespace
}  // namespace macmi::base
