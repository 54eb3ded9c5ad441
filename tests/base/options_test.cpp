#include "macmi/options.hpp"

#include <gtest/gtest.h>

#include "base/suggest.hpp"
#include "macmi/error.hpp"
#include "macmi/estimate.hpp"

namespace macmi::base {
namespace {

Option find(std::vector<Option> options, const std::string& name) {
  for (Option& option : options)
    if (option.name == name) return option;
  throw Error("no option " + name);
}

TEST(Options, EveryDefaultIsAcceptedAndUnchangedByItsOwnText) {
  EstimateOptions o;
  for (const Option& option : declare(o)) {
    const std::string text = value_text(option);
    set_from_text(option, text);
    EXPECT_EQ(value_text(option), text) << option.name;
    EXPECT_FALSE(option.meaning.empty());
    EXPECT_FALSE(accepts_text(option).empty());
  }
}

TEST(Options, SetsFieldsFromText) {
  EstimateOptions o;
  set_from_text(find(declare(o), "k"), "0.25");
  set_from_text(find(declare(o), "transform"), "ranks");
  set_from_text(find(declare(o), "z-weight"), "2.5");
  EXPECT_EQ(o.k.resolve(100), 25u);
  EXPECT_EQ(o.transform, Transform::ranks);
  EXPECT_EQ(o.z_weight, 2.5);
}

TEST(Options, RefusesWithNameAndWhatIsAccepted) {
  EstimateOptions o;
  const std::pair<const char*, const char*> bad[] = {
      {"k", "0"},        {"k", "-1"},       {"k", "2.5"},       {"k", "auto"},       {"k", "x"},
      {"z-weight", "0"}, {"threads", "-1"}, {"threads", "two"}, {"z-weight", "nan"}, {"transform", "rank"}};
  for (const auto& [name, text] : bad) {
    try {
      set_from_text(find(declare(o), name), text);
      ADD_FAILURE() << name << " accepted " << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find(std::string("--") + name), std::string::npos);
      EXPECT_NE(std::string(error.what()).find("give "), std::string::npos);
    }
  }
}

TEST(Options, FractionOfNeighboursIsAtLeastOne) {
  EXPECT_EQ(NeighbourCount(0.1).resolve(3), 1u);
  EXPECT_EQ(NeighbourCount(0.1).resolve(1000), 100u);
  EXPECT_EQ(NeighbourCount(7).resolve(3), 7u);
  EXPECT_EQ(NeighbourCount::parse("auto").text(), "auto");
}

TEST(Suggest, NamesTheNearest) {
  EXPECT_EQ(nearest_names("b", {"xyz", "bc", "a", "b1"}, 3), (std::vector<std::string>{"bc", "a", "b1"}));
  EXPECT_EQ(did_you_mean("smart_5_rw", {"smart_5_raw", "smart_9_raw", "serial"}), "; did you mean 'smart_5_raw'?");
  EXPECT_EQ(did_you_mean("temperature", {"a", "b"}), "");
  EXPECT_EQ(did_you_mean("x9", {"y"}), "");  // nothing of it would be left
}

}  // namespace
}  // namespace macmi::base
