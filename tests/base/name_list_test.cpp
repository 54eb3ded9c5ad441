#include "base/name_list.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"
#include "macmi/options.hpp"

namespace macmi::base {
namespace {

using Names = std::vector<std::string>;

TEST(NameList, SplitsAtCommasOutsideQuotes) {
  EXPECT_EQ(split_names("a,b"), (Names{"a", "b"}));
  EXPECT_EQ(split_names("\"a,b\",c"), (Names{"a,b", "c"}));
  EXPECT_EQ(split_names("\"5\"\" disk, new\",x"), (Names{"5\" disk, new", "x"}));
  EXPECT_EQ(split_names("5\" disk,x"), (Names{"5\" disk", "x"}));
  EXPECT_EQ(split_names(",a,,b,"), (Names{"a", "b"}));
  EXPECT_EQ(split_names("\"never closed,b"), (Names{"\"never closed", "b"}));
  EXPECT_EQ(split_names("\"a\"b,c"), (Names{"\"a\"b", "c"}));
  EXPECT_TRUE(split_names("").empty());
}

TEST(NameList, JoinedNamesSplitIntoThemselves) {
  RandomStream random(StreamKey(1).with("name list"));
  const std::string letters = "a\", <é";
  for (int round = 0; round < 2000; ++round) {
    Names names(1 + random.below(4));
    for (std::string& name : names)
      for (std::uint64_t i = 0, length = 1 + random.below(6); i < length; ++i)
        name += letters[random.below(letters.size())];
    EXPECT_EQ(split_names(join_names(names)), names);
  }
}

TEST(NameList, OptionsOfNamesRoundTripThroughText) {
  Names field = {"a,b", "\"quoted\"", "plain"};
  const Names before = field;
  const Option option{.name = "features", .field = &field, .meaning = ""};
  const std::string text = value_text(option);
  field.clear();
  set_from_text(option, text);
  EXPECT_EQ(field, before);
}

}  // namespace
}  // namespace macmi::base
