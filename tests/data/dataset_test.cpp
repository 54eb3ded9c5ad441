#include "macmi/dataset.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <map>

#include "base/random.hpp"
#include "data/given_file.hpp"
#include "data/same_dataset.hpp"
#include "macmi/error.hpp"

namespace macmi::data {
namespace {

using Names = std::vector<std::string>;

using Given = GivenFile;

const char* const grouped_csv =
    "x1_0,x1_1,x2_0,x2_1,x2_2,w,y\n1,2,3,4,5,6,0.5\n7,8,9,10,11,12,1.5\n13,15,14,16,17,18,2.5\n";

TEST(Dataset, GroupsColumnsByTheFirstCapture) {
  Given given(grouped_csv);
  given.options.group = "^(x\\d+)_";
  const Dataset data = given.read();
  EXPECT_EQ(data.feature_names(), (Names{"x1", "x2", "w"}));
  EXPECT_EQ(data.feature("x2").channels, 3u);
  EXPECT_EQ(data.feature("x2").columns[1].values, (std::vector<double>{4, 10, 16}));
  EXPECT_EQ(data.health.group_widths.size(), 3u);
  const Variable x1 = view(data.feature("x1"));
  ASSERT_EQ(x1.numeric().size(), 2u);
  EXPECT_EQ(x1.numeric()[1][2], 15.0);
  EXPECT_EQ(x1.numeric()[1].name, "x1_1");
}

TEST(Dataset, FeaturesAndExcludeTakeNamesAndGlobs) {
  Given given(grouped_csv);
  given.options.group = "^(x\\d+)_";
  given.options.features = {"x*"};
  given.options.exclude = {"x2_1"};
  const Dataset data = given.read();
  EXPECT_EQ(data.feature_names(), (Names{"x1", "x2"}));
  EXPECT_EQ(data.feature("x2").channels, 2u);
  given.options.exclude = {"x9*"};
  EXPECT_NE(given.refusal().find("there is no feature 'x9*'"), std::string::npos) << given.refusal();
}

TEST(Dataset, TypesFollowTheValues) {
  Given given(
      "c,i,b,t,k,flag,day,y\n1.5,1,0,red,7,TRUE,2018-01-01,0.1\n2.5,2,1,blue,7,False,2018-01-02,0.2\n3,4,1,red,7,true,"
      "2018-01-04,0.3\n");
  const Dataset data = given.read();
  const std::map<std::string, ColumnType> expected = {{"c", ColumnType::continuous}, {"i", ColumnType::integer},
                                                      {"b", ColumnType::boolean},    {"t", ColumnType::categorical},
                                                      {"k", ColumnType::constant},   {"flag", ColumnType::boolean},
                                                      {"day", ColumnType::integer}};
  for (const auto& [name, type] : expected) EXPECT_STREQ(type_name(data.feature(name).type()), type_name(type)) << name;
  EXPECT_EQ(data.feature("t").columns[0].labels, (Names{"blue", "red"}));
  EXPECT_EQ(data.feature("flag").columns[0].labels, (Names{"false", "true"}));
  EXPECT_EQ(data.feature("flag").columns[0].values, (std::vector<double>{1, 0, 1}));
  EXPECT_EQ(data.feature("day").columns[0].values[2] - data.feature("day").columns[0].values[0], 3);
  EXPECT_EQ(data.health.constant, Names{"k"});
}

TEST(Dataset, TypesCanBeOverridden) {
  Given given("a,b,y\n1,1.0,5\n2,2.5,6\n10,1.0,5\n");
  EXPECT_TRUE(given.read().target_is_categorical());  // whole numbers of few values
  given.options.type = {"a=categorical", "b=categorical", "y=continuous"};
  const Dataset data = given.read();
  EXPECT_FALSE(data.target_is_categorical());
  EXPECT_EQ(data.feature("a").columns[0].labels, (Names{"1", "2", "10"}));
  EXPECT_EQ(data.feature("b").columns[0].labels, (Names{"1", "2.5"}));
  EXPECT_EQ(data.feature("a").columns[0].codes, (std::vector<std::int32_t>{0, 1, 2}));
  given.options.type = {"b=integer"};
  EXPECT_NE(given.refusal().find("not whole numbers"), std::string::npos);
  given.options.type = {"a"};
  EXPECT_NE(given.refusal().find("COLUMN=continuous"), std::string::npos);
}

TEST(Dataset, TextAmongNumbersIsRefusedUnlessLabelsAreMeant) {
  std::string csv = "a,y\n";
  for (int i = 0; i < 40; ++i) csv += i == 17 ? "oops,1\n" : fmt::format("{},{}\n", i, i);
  Given given(csv);
  EXPECT_NE(given.refusal().find("'oops'"), std::string::npos) << given.refusal();
  given.options.type = {"a=categorical"};
  EXPECT_EQ(given.read().feature("a").columns[0].labels.size(), 40u);
}

TEST(Dataset, CategoricalTargetsKeepTheirLabels) {
  Given given("a,y\n1,sick\n2,well\n3,well\n");
  const Dataset data = given.read();
  EXPECT_EQ(data.classes(), (Names{"sick", "well"}));
  EXPECT_EQ(data.target.columns[0].codes, (std::vector<std::int32_t>{0, 1, 1}));
  ASSERT_EQ(data.health.classes.size(), 2u);
  EXPECT_EQ(data.health.classes[1].count, 2u);
  EXPECT_EQ(view(data.target).categorical().size(), 1u);
}

TEST(Dataset, ATargetMayHaveSeveralColumns) {
  Given given("a,u,v\n1,0,2.5\n2,1,3.5\n3,0,4.5\n", {"u", "v"});
  const Dataset data = given.read();
  EXPECT_EQ(data.target.channels, 2u);
  EXPECT_EQ(view(data.target).numeric().size(), 2u);
  EXPECT_EQ(data.feature_names(), Names{"a"});
}

TEST(Dataset, BooleansAreCategoriesOrNumbers) {
  const Dataset data = Given("b,y\n0,1.5\n1,2.5\n1,3.5\n").read();
  EXPECT_EQ(view(data.features[0]).categorical().size(), 1u);
  ASSERT_EQ(view(data.features[0], Booleans::as_numbers).numeric().size(), 1u);
  EXPECT_EQ(view(data.features[0], Booleans::as_numbers).numeric()[0][2], 1.0);
}

const char* const gappy_csv = "a,t,y\n1,red,1.5\n,blue,2.5\n3,,3.5\n5,red,\n7,red,4.5\n";

TEST(Missing, PairwiseLeavesRowsToTheTests) {
  const Dataset data = Given(gappy_csv).read();
  EXPECT_EQ(data.missing, Missing::pairwise);
  EXPECT_EQ(data.samples(), 4u);  // the row without a target is dropped
  EXPECT_EQ(data.health.target_missing, 1u);
  EXPECT_EQ(data.rows, (std::vector<std::uint64_t>{0, 1, 2, 4}));
  const Feature *a = &data.feature("a"), *t = &data.feature("t");
  const std::vector<const Feature*> both = {a, t}, one = {a};
  EXPECT_EQ(complete_rows(4, one), (std::vector<std::size_t>{0, 2, 3}));
  EXPECT_EQ(complete_rows(4, both), (std::vector<std::size_t>{0, 3}));
  RowCopy copy(view(*a), complete_rows(4, one));
  const RowCopy moved = std::move(copy);
  EXPECT_EQ(moved.variable().samples(), 3u);
  EXPECT_EQ(moved.variable().numeric()[0][2], 7.0);
}

TEST(Missing, ImputationAddsAnIndicatorAndKeepsTheMean) {
  Given given(gappy_csv);
  given.options.missing = Missing::impute;
  const Dataset data = given.read();
  const Feature &a = data.feature("a"), &t = data.feature("t");
  ASSERT_EQ(a.channels, 2u);
  EXPECT_EQ(a.columns[0].values, (std::vector<double>{1, (1.0 + 3.0 + 7.0) / 3, 3, 7}));
  EXPECT_TRUE(a.columns[1].indicator);
  EXPECT_EQ(a.columns[1].values, (std::vector<double>{0, 1, 0, 0}));
  EXPECT_EQ(t.columns[0].labels, (Names{"blue", "red", "(missing)"}));
  EXPECT_EQ(t.columns[0].codes, (std::vector<std::int32_t>{1, 0, 2, 1}));
  const std::vector<const Feature*> both = {&a, &t};
  EXPECT_EQ(complete_rows(4, both).size(), 4u);
}

TEST(Missing, ErrorNamesTheColumn) {
  Given given(gappy_csv);
  given.options.missing = Missing::error;
  EXPECT_NE(given.refusal().find("column 'a' has no value in 1 of 4 samples"), std::string::npos) << given.refusal();
}

TEST(Rows, DrawsClassesInTheirShareAndWholeSamples) {
  std::string csv = "a,copy,y\n";
  for (int i = 0; i < 1000; ++i)
    csv += fmt::format("{0},{0},{1}\n", i, i % 100 == 0 ? "rare" : i % 4 == 1 ? "some" : "many");
  Given given(csv);
  given.options.rows = 100;
  given.options.seed = 7;
  const Dataset data = given.read();
  EXPECT_EQ(data.samples(), 100u);
  EXPECT_EQ(data.health.not_drawn, 900u);
  ASSERT_EQ(data.health.classes.size(), 3u);
  EXPECT_EQ(data.health.classes[0].count, 74u);  // many: 740 of 1000
  EXPECT_EQ(data.health.classes[1].count, 1u);   // rare: 10
  EXPECT_EQ(data.health.classes[2].count, 25u);  // some: 250
  EXPECT_EQ(data.feature("a").columns[0].values, data.feature("copy").columns[0].values);
  for (std::size_t i = 0; i < 100; ++i)
    EXPECT_EQ(static_cast<double>(data.rows[i]), data.feature("a").columns[0].values[i]);
  expect_same(data, given.read());
  given.options.seed = 8;
  EXPECT_NE(given.read().rows, data.rows);
  given.options.rows = 5000;
  EXPECT_EQ(given.read().samples(), 1000u);
}

TEST(Scaling, IsThePopulationMeanAndDeviationPerColumn) {
  const Dataset data = Given("a,y\n1,1.5\n3,2.5\n,3.5\n5,4.5\n").read();
  const Scaling scaling = data.feature("a").columns[0].scaling;
  EXPECT_DOUBLE_EQ(scaling.center, 3);
  EXPECT_DOUBLE_EQ(scaling.scale, std::sqrt(8.0 / 3));
}

TEST(Schema, NewDataIsTreatedLikeTheOld) {
  Given old("a,t,b,y\n1,red,0,no\n3,blue,1,yes\n,red,1,yes\n");
  old.options.missing = Missing::impute;
  const DataSchema schema = schema_of(old.read());
  Given fresh("b,t,extra,a\n1,blue,9,10\n1,green,9,20\n", {});
  const Dataset data = read_dataset_like(fresh.options, schema);
  EXPECT_EQ(data.feature_names(), (Names{"a", "t", "b"}));
  EXPECT_EQ(data.feature("a").channels, 2u);  // the indicator, though nothing is missing here
  EXPECT_EQ(data.feature("a").columns[0].scaling.center, 2.0);
  EXPECT_EQ(data.feature("t").columns[0].codes[0], 0);  // blue is 0 of {blue, red}, as before
  EXPECT_EQ(data.feature("t").columns[0].missing, (std::vector<std::uint8_t>{0, 1}));
  EXPECT_EQ(data.feature("b").columns[0].codes, (std::vector<std::int32_t>{1, 1}));  // constant here, boolean before
  EXPECT_FALSE(data.has_target());
  EXPECT_NE(fmt::format("{}", data.health.remarks.back()).find("never seen"), std::string::npos);
  Given lacking("t,b\nred,1\n", {});
  EXPECT_THROW(read_dataset_like(lacking.options, schema), InputError);
}

TEST(Fingerprint, DependsOnContentAndNotOnTheOrderOfColumns) {
  const std::string one = Given("a,b,y\n1,2.5,3.5\n4,5.5,6.5\n").read().fingerprint();
  EXPECT_EQ(one, Given("b,a,y\n2.5,1,3.5\n5.5,4,6.5\n").read().fingerprint());
  for (const char* other :
       {"a,b,y\n1,2.5,3.5\n4,5.5,6.6\n", "a,b,y\n1,2.5,3.5\n4,,6.5\n", "a,c,y\n1,2.5,3.5\n4,5.5,6.5\n",
        "a,b,y\n4,5.5,6.5\n1,2.5,3.5\n", "a,b,y\n2.5,1,3.5\n5.5,4,6.5\n"})
    EXPECT_NE(one, Given(other).read().fingerprint()) << other;
}

TEST(Query, SelectsFromTheFiles) {
  Given given("a,\"b,c\",y\n1,2,3\n4,5,6\n7,8,9.5\n");
  given.options.query = "SELECT a + 1 AS next, \"b,c\", y FROM data WHERE a > 1 ORDER BY a DESC;";
  const Dataset data = given.read();
  EXPECT_EQ(data.feature_names(), (Names{"next", "b,c"}));
  EXPECT_EQ(data.features[0].columns[0].values, (std::vector<double>{8, 5}));
  given.options.query = "SELECT a, a FROM data";
  EXPECT_NE(given.refusal().find("two columns named 'a'"), std::string::npos) << given.refusal();
  given.options.query = "SELECT nothing FROM data";
  EXPECT_NE(given.refusal().find("nothing"), std::string::npos);
  given.options.query = "SELECT 1; SELECT 2";
  EXPECT_NE(given.refusal().find("one SELECT"), std::string::npos);
}

TEST(Lists, OfOneLengthAreVectorFeatures) {
  const ScratchDirectory scratch;
  DataOptions options;
  options.data = {scratch.write("lists.jsonl", "{\"v\": [1, 2.5, 3], \"y\": 1.5}\n{\"v\": [4, 5, 6], \"y\": 2.5}\n")};
  options.target = {"y"};
  const Dataset data = read_dataset(options);
  EXPECT_EQ(data.features[0].channels, 3u);
  EXPECT_EQ(data.features[0].columns[1].values, (std::vector<double>{2.5, 5}));
  options.data = {scratch.write("ragged.jsonl", "{\"v\": [1, 2.5, 3], \"y\": 1.5}\n{\"v\": [4, 5], \"y\": 2.5}\n")};
  EXPECT_THROW(read_dataset(options), InputError);
}

}  // namespace
}  // namespace macmi::data
