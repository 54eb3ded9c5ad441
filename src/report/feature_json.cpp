#include "report/feature_json.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <sstream>

#include "macmi/error.hpp"

namespace macmi::report {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& json, const CiResult& r, const TargetSummary& target) {
  json["statistic"] = number(r.statistic);
  json["effect"] = number(r.effect);
  json["p_value"] = number(r.p_value);
  json["share"] = number(uncertainty_share(target, r.effect));
  json["n"] = r.n;
  json["k"] = r.k;
  json["permutations"] = r.permutations;
  if (!r.rule.empty()) json["rule"] = r.rule;
  if (!std::isnan(r.gain)) json["gain"] = number(r.gain), json["gain_error"] = number(r.gain_error);
  if (!r.notes.empty()) json["remarks"] = r.notes;
}

CiResult get_result(const Json& json) {
  CiResult r;
  r.statistic = number(json.at("statistic"));
  r.effect = number(json.at("effect"));
  r.p_value = number(json.at("p_value"));
  r.n = json.at("n");
  r.k = json.at("k");
  r.permutations = json.at("permutations");
  r.rule = json.value("rule", "");
  if (json.contains("gain")) r.gain = number(json.at("gain")), r.gain_error = number(json.at("gain_error"));
  r.notes = json.value("remarks", std::vector<std::string>());
  return r;
}

Json evidence_json(const Evidence& e, const TargetSummary& target) {
  Json json = {{"given", e.given}};
  put(json, e.result, target);
  return json;
}

Evidence get_evidence(const Json& json) {
  return {json.at("given"), get_result(json)};
}

/// The counts in one text, "1 5 12 7": on one line, where a list would take thirty.
Json histogram_json(const NullHistogram& h) {
  return {{"low", number(h.low)}, {"high", number(h.high)}, {"counts", fmt::format("{}", fmt::join(h.counts, " "))}};
}

NullHistogram get_histogram(const Json& json) {
  NullHistogram h{number(json.at("low")), number(json.at("high")), {}};
  std::istringstream counts(json.at("counts").get<std::string>());
  for (std::uint32_t count = 0; counts >> count;) h.counts.push_back(count);
  if (!counts.eof()) throw InputError("a null histogram holds something that is no count");
  return h;
}

Json used_test_json(const UsedTest& test) {
  const CiResult& r = test.evidence.result;
  Json json = {{"name", test.feature},
               {"given", test.evidence.given},
               {"stage", test.stage},
               {"dependent", test.dependent ? Json(*test.dependent) : Json(nullptr)},
               {"statistic", number(r.statistic)},
               {"effect", number(r.effect)},
               {"p_value", number(r.p_value)},
               {"n", r.n},
               {"k", r.k},
               {"permutations", r.permutations}};
  if (!r.notes.empty()) json["remarks"] = r.notes;
  return json;
}

/// Writes the measurements of the second pass, under the names of a test.
void put(Json& json, const MeasuredFeature& m, const TargetSummary& target) {
  put(json, m.test, target);
  json["effect"] = number(m.effect);
  json["effect_error"] = number(m.effect_error);
  json["share"] = number(uncertainty_share(target, m.effect));
  json["p_value"] = number(m.p_value);
  json["q_value"] = number(m.q_value);
  json["alone"] = {{"effect", number(m.alone)},
                   {"effect_error", number(m.alone_error)},
                   {"share", number(uncertainty_share(target, m.alone))}};
  if (!m.remark.empty()) json["effect_unknown"] = m.remark;
  json["measured"] = true;
}

MeasuredFeature get_measured(const Json& json) {
  MeasuredFeature m;
  m.given = json.at("given");
  m.test = get_result(json);
  m.effect = number(json.at("effect")), m.effect_error = number(json.at("effect_error"));
  m.p_value = number(json.at("p_value")), m.q_value = number(json.at("q_value"));
  m.test.effect = number(json.at("test_effect")), m.test.p_value = number(json.at("test_p_value"));
  m.alone = number(json.at("alone").at("effect")), m.alone_error = number(json.at("alone").at("effect_error"));
  m.remark = json.value("effect_unknown", "");
  return m;
}

/// The numbers of the result are those of the second pass. The search's are kept apart (`decided_by`): it stops its
/// tests as soon as it can decide.
void put_evidence(Json& json, const FeatureVerdict& f, const TargetSummary& target, bool second_pass) {
  if (f.measured) {
    put(json, *f.measured, target);
    json["test_effect"] = number(f.measured->test.effect), json["test_p_value"] = number(f.measured->test.p_value);
    json["given"] = f.measured->given;
  } else if (f.deciding && !second_pass) {
    put(json, f.deciding->result, target);
    json["given"] = f.deciding->given;
    return;
  } else {
    json.update({{"statistic", nullptr}, {"effect", nullptr}, {"p_value", nullptr}, {"given", nullptr}});
  }
  if (f.deciding) json["decided_by"] = evidence_json(*f.deciding, target);
}

template <class Enum>
Enum named(const std::string& word, std::initializer_list<Enum> all) {
  for (const Enum value : all)
    if (word == text(value)) return value;
  throw InputError(fmt::format("'{}' is not known", word));
}

}  // namespace

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
double number(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

Json feature_json(const FeatureVerdict& f, const TargetSummary& target, bool second_pass) {
  Json json = {{"name", f.name}, {"role", text(f.role)}};
  put_evidence(json, f, target, second_pass);
  json["separating_set"] =
      f.role == Role::excluded && (f.deciding || !f.same_as.empty()) ? Json(f.separating_set) : Json(nullptr);
  json["reason"] = text(f.reason);
  if (!f.same_as.empty()) json["same_as"] = f.same_as;
  if (f.role != Role::excluded) json["re_tested"] = f.re_tested, json["interchangeable"] = f.interchangeable;
  if (f.partner)
    json["partner"] = {{"name", f.partner->name}, {"effect", f.partner->information}, {"alone", f.partner->alone}};
  if (f.marginal) put(json["marginal"], *f.marginal, target);
  if (const CiResult* r = test_shown(f); r != nullptr && !r->null_histogram.counts.empty())
    json["null_histogram"] = histogram_json(r->null_histogram);
  json["tests"] = f.tests;
  json["near_miss_count"] = f.near_miss_count;
  json["near_misses"] = Json::array();
  for (const Evidence& e : f.near_misses) json["near_misses"].push_back(evidence_json(e, target));
  return json;
}

FeatureVerdict get_feature(const Json& json) {
  FeatureVerdict f;
  f.name = json.at("name");
  f.role = named(json.at("role").get<std::string>(), {Role::adjacent, Role::co_parent, Role::excluded});
  f.reason = named(json.at("reason").get<std::string>(),
                   {Reason::tested, Reason::required, Reason::forbidden, Reason::copy, Reason::not_reached,
                    Reason::too_weak, Reason::undecidable, Reason::number_asked});
  if (json.value("measured", false)) f.measured = get_measured(json);
  if (json.contains("decided_by"))
    f.deciding = get_evidence(json.at("decided_by"));
  else if (!json.at("given").is_null() && !f.measured)
    f.deciding = get_evidence(json);
  if (!json.at("separating_set").is_null()) f.separating_set = json.at("separating_set");
  if (json.contains("null_histogram") && (f.measured || f.deciding))
    (f.measured ? f.measured->test : f.deciding->result).null_histogram = get_histogram(json.at("null_histogram"));
  f.same_as = json.value("same_as", "");
  f.re_tested = json.value("re_tested", false);
  f.interchangeable = json.value("interchangeable", std::vector<std::string>());
  if (json.contains("partner")) {
    const Json& partner = json.at("partner");
    f.partner = {partner.at("name"), number(partner.at("effect")), number(partner.at("alone"))};
  }
  if (json.contains("marginal")) f.marginal = get_result(json.at("marginal"));
  f.tests = json.at("tests");
  f.near_miss_count = json.at("near_miss_count");
  for (const Json& e : json.at("near_misses")) f.near_misses.push_back(get_evidence(e));
  return f;
}

std::string log_text(const std::vector<UsedTest>& log) {
  std::string text = "[";
  for (const UsedTest& test : log)
    text += fmt::format("{}\n    {}", text.size() == 1 ? "" : ",",
                        used_test_json(test).dump(-1, ' ', false, Json::error_handler_t::replace));
  return text + (log.empty() ? "]" : "\n  ]");
}

UsedTest get_used_test(const Json& json) {
  UsedTest test{json.at("name"), get_evidence(json), json.at("stage"), {}};
  if (!json.at("dependent").is_null()) test.dependent = json.at("dependent").get<bool>();
  return test;
}

}  // namespace macmi::report
