#include "report/selection.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "macmi/error.hpp"

namespace macmi::report {
namespace {

using Names = std::vector<std::string>;

CiResult result(double effect, double p, std::size_t n = 100) {
  CiResult r;
  r.statistic = effect + 0.01;
  r.effect = effect;
  r.p_value = p;
  r.n = n;
  return r;
}

/// One feature of every kind.
Selection example() {
  Selection s;
  s.target.name = "y";
  s.samples = 100;
  s.method = "knn";
  s.alpha = 0.05;
  s.delta = 3;
  s.options = {{"delta", "3"}, {"alpha", "0.05"}, {"min-cmi", "0"}, {"no-children", "false"}, {"fdr", "0"}};
  const auto add = [&](FeatureVerdict f) { s.blanket.features.push_back(std::move(f)); };
  add({.name = "adjacent, \"one\"",
       .role = Role::adjacent,
       .deciding = Evidence{{"spouse"}, result(0.2, 0.001)},
       .marginal = result(0.4, 0.001),
       .separating_set = {},
       .re_tested = true,
       .same_as = {},
       .interchangeable = {"near"},
       .near_misses = {{{}, result(0.01, 0.04)}},
       .near_miss_count = 1,
       .tests = 4});
  add({.name = "copy",
       .reason = Reason::copy,
       .deciding = {},
       .marginal = {},
       .separating_set = {"spouse"},
       .same_as = "spouse",
       .interchangeable = {},
       .near_misses = {}});
  add({.name = "far <b>",
       .deciding = Evidence{{"adjacent, \"one\"", "near"}, result(0.001, 0.4)},
       .marginal = result(0.3, 0.002),
       .separating_set = {"adjacent, \"one\"", "near"},
       .same_as = {},
       .interchangeable = {},
       .near_misses = {},
       .tests = 3});
  add({.name = "forbidden",
       .reason = Reason::forbidden,
       .deciding = {},
       .marginal = {},
       .separating_set = {},
       .same_as = {},
       .interchangeable = {},
       .near_misses = {}});
  add({.name = "gaps",
       .deciding = Evidence{{}, result(std::nan(""), std::nan(""), 3)},
       .marginal = result(std::nan(""), std::nan(""), 3),
       .separating_set = {},
       .same_as = {},
       .interchangeable = {},
       .near_misses = {},
       .tests = 1});
  add({.name = "near",
       .deciding = Evidence{{"spouse"}, result(0.0, 0.7)},
       .marginal = result(0.1, 0.01),
       .separating_set = {"spouse"},
       .same_as = {},
       .interchangeable = {},
       .near_misses = {},
       .tests = 2});
  add({.name = "noise",
       .deciding = Evidence{{}, result(-0.002, 0.8)},
       .marginal = result(-0.002, 0.8),
       .separating_set = {},
       .same_as = {},
       .interchangeable = {},
       .near_misses = {},
       .tests = 1});
  add({.name = "spouse",
       .role = Role::co_parent,
       .deciding = Evidence{{"adjacent, \"one\""}, result(0.1, 0.01)},
       .marginal = result(0.0, 0.6),
       .separating_set = {},
       .re_tested = false,
       .same_as = {},
       .interchangeable = {},
       .near_misses = {},
       .tests = 2});
  s.blanket.members = {"adjacent, \"one\"", "spouse"};
  s.blanket.tests = 13;
  s.blanket.notes = {"a remark"};
  return s;
}

bool mentions(const Names& lines, const std::string& words) {
  for (const std::string& line : lines)
    if (line.find(words) != std::string::npos) return true;
  return false;
}

TEST(SelectionReport, JsonComesBackWhole) {
  Selection s = example();
  const std::string json = selection_json(s, {1.5, 2, 20});
  EXPECT_EQ(selection_json(read_selection_json(json, "file"), {1.5, 2, 20}), json);
  s.target = {"class", true, 3, 1.0986};
  s.blanket.partial = true;
  s.blanket.stopped_in = "co-parents";
  const std::string other = selection_json(s, {});
  EXPECT_EQ(selection_json(read_selection_json(other, "file"), {}), other);
}

TEST(SelectionReport, EveryOptionalPartComesBackWhole) {
  Selection s = example();
  s.stability = Stability{20, 0.5, {}, {}, {}};
  for (std::size_t f = 0; f < s.blanket.features.size(); ++f) {
    s.stability->features.push_back(s.blanket.features[f].name);
    s.stability->selected_in.push_back(f);
    s.stability->exchanged_for.emplace_back();
  }
  s.stability->exchanged_for[0] = {"near"};
  s.blanket.features[0].deciding->result.null_histogram = {-0.01, 0.02, {1, 7, 3}};
  s.blanket.log = {{"near", {{"spouse"}, result(0.1, 0.2)}, "adjacent features given 1", false},
                   {"gaps", {{}, result(std::nan(""), std::nan(""))}, "marginal screen", {}}};
  s.health = {"constant columns, which tell nothing: x"};
  s.map_pictures = {
      {"spouse", {{1, 2}, {3, 4}}, {0, 1}, {"no", "yes"}, MapPicture::Surface{0, 1, 2, 3, 2, 1, {0.5, 0.75}}},
      {"near", {{1}}, {2}, {}, {}}};
  s.training = {{"fold 1", {1, 2}, {-2, -1}, {-2.5, -1.5}, 2}};
  const SelectionTiming timing{1, 2, 3, 4, 5, "data.csv", "macmi select"};
  const std::string json = selection_json(s, timing);
  EXPECT_EQ(selection_json(read_selection_json(json, "file"), read_selection_timing(json, "file")), json);
  EXPECT_TRUE(mentions(explanation(s, "near"), "it was selected in 5 of 20"));
  EXPECT_NE(selection_text(s).find("5 of 20"), std::string::npos);
}

TEST(SelectionReport, OtherFilesAreRefusedByName) {
  for (const char* text : {"", "{", "[1, 2]", "{\"target\": 3}", "{\"target\": \"y\"}"}) {
    try {
      read_selection_json(text, "some.json");
      FAIL() << text;
    } catch (const InputError& error) {
      EXPECT_NE(std::string(error.what()).find("some.json"), std::string::npos);
    }
  }
}

TEST(SelectionReport, ReasonsBesideTestsAreExplained) {
  Selection s = example();
  s.blanket.joint_level = 0.0005;
  FeatureVerdict& far = s.blanket.features[2];
  far.reason = Reason::undecidable;
  EXPECT_TRUE(mentions(explanation(s, far.name), "cannot be told apart from adjacent, \"one\" and near"));
  EXPECT_NE(selection_text(s).find("cannot be told apart"), std::string::npos);
  far.reason = Reason::too_weak;
  EXPECT_TRUE(mentions(explanation(s, far.name), "asked together p = 0.0005 would be needed"));
  far.reason = Reason::number_asked;
  EXPECT_TRUE(mentions(explanation(s, far.name), "--n-features asks for fewer"));
  const std::string json = selection_json(s, {});
  EXPECT_EQ(selection_json(read_selection_json(json, "file"), {}), json);
}

TEST(SelectionReport, TheTerminalShowsTheStrongestOfManyLeftOut) {
  Selection s = example();
  for (int i = 0; i < 100; ++i) {
    s.blanket.features.push_back(s.blanket.features[2]);
    s.blanket.features.back().name = "more" + std::to_string(i);
  }
  const std::string text = selection_text(s);
  EXPECT_LT(std::count(text.begin(), text.end(), '\n'), 40);
  EXPECT_NE(text.find("more that tell less alone"), std::string::npos);
}

TEST(SelectionReport, EveryKindOfFeatureIsExplained) {
  const Selection s = example();
  EXPECT_TRUE(mentions(explanation(s, "adjacent, \"one\""), "adjacent to y"));
  EXPECT_TRUE(mentions(explanation(s, "adjacent, \"one\""),
                       "Given all other selected features (spouse) it still tells 0.200 nats"));
  EXPECT_TRUE(mentions(explanation(s, "adjacent, \"one\""), "1 of its 4 tests in the search was close to the limit"));
  EXPECT_TRUE(mentions(explanation(s, "adjacent, \"one\""), "near could stand in its place"));
  EXPECT_TRUE(mentions(explanation(s, "near"), "could stand in the place of adjacent, \"one\""));
  EXPECT_NE(selection_text(s).find("or near"), std::string::npos);
  EXPECT_TRUE(mentions(explanation(s, "spouse"), "as a co-parent"));
  EXPECT_TRUE(mentions(explanation(s, "spouse"), "not re-tested"));
  EXPECT_TRUE(mentions(explanation(s, "copy"), "exact copy of spouse"));
  EXPECT_TRUE(mentions(explanation(s, "copy"), "co-parent"));
  EXPECT_TRUE(
      mentions(explanation(s, "far <b>"), "not shown to add anything about y beyond adjacent, \"one\" and near"));
  EXPECT_TRUE(mentions(explanation(s, "far <b>"),
                       "near itself is not selected: it is not shown to add anything beyond spouse"));
  EXPECT_TRUE(mentions(explanation(s, "noise"), "alone it is not shown to depend on y"));
  EXPECT_TRUE(mentions(explanation(s, "forbidden"), "--never"));
  EXPECT_FALSE(explanation(s, "gaps").empty());
  EXPECT_THROW(explanation(s, "nois"), InputError);
}

TEST(SelectionReport, TheTableNamesEveryFeatureOnce) {
  const Selection s = example();
  const std::string text = selection_text(s);
  for (const FeatureVerdict& f : s.blanket.features)
    EXPECT_NE(text.find("\n  " + f.name), std::string::npos) << f.name << "\n" << text;
  EXPECT_NE(text.find("nothing shown beyond adjacent, \"one\" and near"), std::string::npos) << text;
  EXPECT_NE(text.find("Note: a remark."), std::string::npos);
}

/// Once the result is measured, the search's p-values are not told as those of the result.
TEST(SelectionReport, NumbersOfTheSecondPassTakeThePlaceOfTheSearchs) {
  Selection s = example();
  MeasuredFeature m;
  m.given = {"spouse"};
  m.effect = 0.31, m.effect_error = 0.02, m.alone = 0.5, m.alone_error = 0.03, m.p_value = 3e-7, m.q_value = 6e-6;
  s.blanket.features[0].measured = m;
  s.sufficiency = Sufficiency{};
  s.sufficiency->selected = 2, s.sufficiency->all = 7, s.sufficiency->measure = "AUC";
  s.sufficiency->of_selected = 0.992, s.sufficiency->of_all = 0.994;
  s.sufficiency->low = -0.004, s.sufficiency->high = 0.001;
  const std::string text = selection_text(s);
  EXPECT_NE(text.find("0.310±0.020    46%  3e-07  6e-06  0.500    63%"), std::string::npos) << text;
  EXPECT_EQ(text.find("0.001"), text.find("0.001)."));  // of the interval; the search's p of 0.001 is not shown
  EXPECT_NE(
      text.find(
          "Selected 2 of 7: a predictor on these is not shown to be worse than one on all (AUC 0.992 against 0.994, "
          "difference -0.004 to +0.001)."),
      std::string::npos)
      << text;
  EXPECT_TRUE(mentions(explanation(s, "adjacent, \"one\""), "0.310±0.020 nats about y"));
  s.sufficiency->enough = false;
  s.sufficiency->missing_nats = 0.03, s.sufficiency->missing_nats_error = 0.01;
  s.sufficiency->next = {"near", "far <b>"};
  EXPECT_NE(selection_text(s).find("the others together still add 0.030±0.010 nats, near and far <b> most"),
            std::string::npos);
  const std::string json = selection_json(s, {});
  EXPECT_EQ(selection_json(read_selection_json(json, "file"), {}), json);
}

TEST(SelectionReport, WhenNothingIsSelectedTheStrongestCandidatesAreShown) {
  Selection s = example();
  s.blanket.members.clear();
  for (FeatureVerdict& f : s.blanket.features) f.role = Role::excluded;
  const auto lines = advice_when_empty(s);
  ASSERT_EQ(lines.size(), 5u);
  EXPECT_EQ(lines[0].find("adjacent"), 0u);  // p 0.001
  EXPECT_EQ(lines[1].find("far"), 0u);       // p 0.002
  EXPECT_NE(selection_text(s).find("What could be tried"), std::string::npos);
}

TEST(SelectionReport, Numbers) {
  EXPECT_EQ(p_text(0.000999), "0.001");
  EXPECT_EQ(p_text(3.2e-12), "3e-12");
  EXPECT_EQ(p_text(std::nan("")), "-");
  EXPECT_EQ(nats_text(0.41234), "0.412");
  EXPECT_EQ(share_text(0.3412), "34%");
  EXPECT_EQ(share_text(0.0004), "<0.1%");
  EXPECT_EQ(list_text({"a", "b", "c"}), "a, b and c");
}

}  // namespace
}  // namespace macmi::report
