#include "report/html.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <nlohmann/json.hpp>

namespace macmi::report {
namespace {

using Json = nlohmann::json;

/// A selected feature with its null, and one that it made redundant.
Selection example(const std::string& selected, const std::string& target) {
  Selection s;
  s.target.name = target;
  s.samples = 100;
  s.method = "knn";
  s.options = {{"alpha", "0.05"}};
  FeatureVerdict in, out;
  in.name = selected;
  in.role = Role::adjacent;
  in.re_tested = true;
  in.deciding = Evidence{};
  in.deciding->result.statistic = 0.25;
  in.deciding->result.effect = 0.2;
  in.deciding->result.p_value = 0.01;
  in.deciding->result.null_histogram = {0.03, 0.07, {1, 5, 2}};
  in.marginal = in.deciding->result;
  out.name = "zz";
  out.deciding = Evidence{{selected}, {}};
  out.deciding->result.p_value = 0.5;
  out.separating_set = {selected};
  s.blanket.features = {in, out};
  s.blanket.members = {selected};
  s.blanket.tests = 1;
  s.blanket.log = {{selected, *in.deciding, "marginal screen", true}};
  return s;
}

std::size_t occurrences(const std::string& text, const std::string& part) {
  std::size_t count = 0;
  for (std::size_t at = text.find(part); at != std::string::npos; at = text.find(part, at + 1)) ++count;
  return count;
}

/// The text between the tags of the page's data.
std::string data_of(const std::string& html) {
  const std::string opening = "<script type=\"application/json\" id=\"data\">";
  const std::size_t begin = html.find(opening) + opening.size();
  return html.substr(begin, html.find("</script>", begin) - begin);
}

TEST(ReportHtml, NamesCannotLeaveTheirPlace) {
  if (report_page().empty()) GTEST_SKIP() << "skipped: built with MACMI_REPORT=OFF";
  for (const std::string name : {"</script><script>alert(1)</script>", "<!--", "-->", "\"'&<>", "%DATA%", "%SCRIPT%",
                                 "\xF0\x9F\xA6\x86", "bad \xFF utf8"}) {
    const std::string html = report_html(example(name, name), {});
    const std::string plain = report_html(example("a", "b"), {});
    for (const char* part : {"<script", "</script", "<!--", "-->"})
      EXPECT_EQ(occurrences(html, part), occurrences(plain, part)) << name;
    const Json data = Json::parse(data_of(html));
    if (name.find('\xFF') == std::string::npos) {
      EXPECT_EQ(data["target"], name);
      EXPECT_EQ(data["features"][0]["name"], name);
    }
  }
}

TEST(ReportHtml, TheNullIsShownOnTheScaleOfTheEffect) {
  const Json data = Json::parse(report_data(example("a", "y"), {}));
  const Json& histogram = data["features"][0]["histogram"];
  EXPECT_NEAR(histogram["low"].get<double>(), 0.03 - (0.25 - 0.2), 1e-9);  // the null's mean is statistic - effect
  EXPECT_NEAR(histogram["high"].get<double>(), 0.07 - (0.25 - 0.2), 1e-9);
  EXPECT_EQ(histogram["counts"], (Json{1, 5, 2}));
  EXPECT_EQ(data["features"][1]["separating"], (Json{0}));
}

/// ½ log(1 + T²/n) is what a covariance of T standard errors keeps as its statistic.
TEST(ReportHtml, ACovarianceIsShownInStandardErrors) {
  Selection s = example("a", "y");
  CiResult& r = s.blanket.features[0].deciding->result;
  r.rule = "covariance";
  r.null_histogram = {};
  r.n = 100;
  r.statistic = 0.5 * std::log1p(36.0 / 100);
  const Json data = Json::parse(report_data(s, {}));
  EXPECT_FALSE(data["features"][0].contains("histogram"));
  EXPECT_NEAR(data["features"][0]["covariance"]["deviations"].get<double>(), 6, 1e-9);
}

TEST(ReportHtml, TheSentencesAreTheExplanation) {
  const Selection s = example("a", "y");
  const Json data = Json::parse(report_data(s, {}));
  for (const Json& feature : data["features"])
    EXPECT_EQ(feature["lines"].get<std::vector<std::string>>(), explanation(s, feature["name"].get<std::string>()));
}

TEST(ReportHtml, MapsAreThinnedEvenlyAndSurfacesCoarsened) {
  Selection s = example("a", "y");
  MapPicture map{"a", {{}, {}}, {}, {}, MapPicture::Surface{0, 1, 0, 1, 300, 200, {}}};
  for (int i = 0; i < 20000; ++i) {
    map.coordinates[0].push_back(i);
    map.coordinates[1].push_back(-i);
    map.target.push_back(i / 20000.0);
  }
  for (int r = 0; r < 200; ++r)
    for (int c = 0; c < 300; ++c) map.surface->mean.push_back((r + 0.5) / 200 + 10 * (c + 0.5) / 300);
  s.map_pictures = {map, {"not selected", {{1}}, {1}, {}, {}}};
  const Json maps = Json::parse(report_data(s, {}))["maps"];
  ASSERT_EQ(maps.size(), 1u);  // of selected features alone
  const auto x = maps[0]["coordinates"][0].get<std::vector<double>>();
  EXPECT_EQ(x.size(), 8000u);
  EXPECT_EQ(maps[0]["samples"], 20000);
  for (std::size_t i = 1; i < x.size(); ++i) EXPECT_NEAR(x[i] - x[i - 1], 2.5, 10);  // four digits are kept
  const Json& surface = maps[0]["surface"];
  const auto columns = surface["columns"].get<std::size_t>(), rows = surface["rows"].get<std::size_t>();
  EXPECT_LE(columns * rows, 12000u);
  ASSERT_EQ(surface["mean"].size(), columns * rows);
  // The plane is still the plane, to within a cell of the grid and three digits.
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c) {
      const double y = (static_cast<double>(r) + 0.5) / static_cast<double>(rows),
                   at = (static_cast<double>(c) + 0.5) / static_cast<double>(columns);
      EXPECT_NEAR(surface["mean"][r * columns + c].get<double>(), y + 10 * at, 1.0 / 200 + 10.0 / 300 + 0.05);
    }
}

TEST(ReportHtml, TheAnswerNamesRolesAndCounts) {
  Selection s = example("a", "y");
  EXPECT_EQ(answer(s).sentence, "Of 2 features, 1 is found to matter for y: a.");
  const std::string nothing_more = "Beyond it, the other one is not shown to add anything about y in 100 samples.";
  EXPECT_EQ(answer(s).consequence, nothing_more);
  s.blanket.features[0].re_tested = false;
  EXPECT_EQ(answer(s).sentence, "Of 2 features, 1 is selected for y, without a test given all the others: a.");
  EXPECT_EQ(answer(s).consequence,
            nothing_more + " 1 selected feature was not tested given all other selected ones and may be superfluous.");
  s.blanket.features[0].measured = MeasuredFeature{};  // the second pass tests it given all others
  EXPECT_EQ(answer(s).sentence, "Of 2 features, 1 is found to matter for y: a.");
  EXPECT_EQ(answer(s).consequence, nothing_more);
  s.blanket.features[0].reason = Reason::required;
  EXPECT_EQ(answer(s).sentence, "Of 2 features, 1 is selected for y, because --must or --n-features asks for it: a.");
  s.blanket.features[1].reason = Reason::number_asked;
  EXPECT_EQ(answer(s).consequence, "The tests would keep 1 more; --n-features leaves it out.");
  s.blanket.features[0].reason = Reason::tested;
  s.blanket.features[1].reason = Reason::undecidable;
  EXPECT_EQ(answer(s).consequence, "1 feature cannot be told apart from others by these samples.");
  s.blanket.features[1].reason = Reason::forbidden;
  EXPECT_EQ(answer(s).consequence, "1 feature was left out by --never.");
  s.no_children = true;
  EXPECT_EQ(answer(s).sentence, "Of 2 features, 1 is a direct cause of y under the assumptions of --no-children: a.");
  s.blanket.members.clear();
  s.blanket.features[0].role = Role::excluded;
  EXPECT_EQ(answer(s).sentence,
            "None of 2 features shows a dependence on y that stands out from chance in 100 samples.");
  s.blanket.features[0].reason = Reason::too_weak;
  s.blanket.features[1].reason = Reason::tested;
  EXPECT_EQ(answer(s).consequence, "1 feature shows a weak one that may be chance where 2 are asked.");
  EXPECT_FALSE(report_data(s, {}).empty());
}

TEST(ReportHtml, ManyNamesAreCutShort) {
  Selection s = example("a", "y");
  for (int i = 0; i < 60; ++i) {
    FeatureVerdict f = s.blanket.features[0];
    f.name = "feature number " + std::to_string(i);
    s.blanket.features.push_back(f);
    s.blanket.members.push_back(f.name);
  }
  EXPECT_LT(answer(s).sentence.size(), 250u);
  EXPECT_NE(answer(s).sentence.find(" more."), std::string::npos);
}

}  // namespace
}  // namespace macmi::report
