#include <fmt/format.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>

#include "macmi/error.hpp"
#include "macmi/version.hpp"
#include "report/selection.hpp"

namespace macmi {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) { return std::isfinite(value) ? Json(value) : Json(nullptr); }
double number(const Json& json) { return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>(); }

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

Evidence get_evidence(const Json& json) { return {json.at("given"), get_result(json)}; }

Json feature_json(const FeatureVerdict& f, const TargetSummary& target) {
  Json json = {{"name", f.name}, {"role", text(f.role)}};
  if (f.deciding) put(json, f.deciding->result, target);
  else json.update({{"statistic", nullptr}, {"effect", nullptr}, {"p_value", nullptr}});
  json["given"] = f.deciding ? Json(f.deciding->given) : Json(nullptr);
  json["separating_set"] = f.role == Role::excluded && (f.deciding || !f.same_as.empty()) ? Json(f.separating_set) : Json(nullptr);
  json["reason"] = text(f.reason);
  if (!f.same_as.empty()) json["same_as"] = f.same_as;
  if (f.role != Role::excluded) json["re_tested"] = f.re_tested;
  if (f.marginal) put(json["marginal"], *f.marginal, target);
  json["tests"] = f.tests;
  json["near_miss_count"] = f.near_miss_count;
  json["near_misses"] = Json::array();
  for (const Evidence& e : f.near_misses) json["near_misses"].push_back(evidence_json(e, target));
  return json;
}

template <class Enum>
Enum named(const std::string& word, std::initializer_list<Enum> all) {
  for (const Enum value : all)
    if (word == text(value)) return value;
  throw InputError(fmt::format("'{}' is not known", word));
}

FeatureVerdict get_feature(const Json& json) {
  FeatureVerdict f;
  f.name = json.at("name");
  f.role = named(json.at("role").get<std::string>(), {Role::adjacent, Role::co_parent, Role::excluded});
  f.reason = named(json.at("reason").get<std::string>(),
                   {Reason::tested, Reason::required, Reason::forbidden, Reason::copy, Reason::not_reached});
  if (!json.at("given").is_null()) f.deciding = get_evidence(json);
  if (!json.at("separating_set").is_null()) f.separating_set = json.at("separating_set");
  f.same_as = json.value("same_as", "");
  f.re_tested = json.value("re_tested", false);
  if (json.contains("marginal")) f.marginal = get_result(json.at("marginal"));
  f.tests = json.at("tests");
  f.near_miss_count = json.at("near_miss_count");
  for (const Json& e : json.at("near_misses")) f.near_misses.push_back(get_evidence(e));
  return f;
}

Json maps_json(const Selection& s) {
  Json json = {{"folds", s.folds}, {"validation_gain", number(s.validation_gain)}, {"training_gain", number(s.training_gain)}, {"features", Json::array()}};
  for (const MapSummary& m : s.maps)
    json["features"].push_back({{"name", m.name}, {"encoder", m.encoder}, {"dimensions", m.dimensions},
                                {"divergence", number(m.divergence)}, {"found_nothing", m.found_nothing}});
  return json;
}

void get_maps(const Json& json, Selection& s) {
  s.folds = json.at("folds");
  s.validation_gain = number(json.at("validation_gain"));
  s.training_gain = number(json.at("training_gain"));
  for (const Json& m : json.at("features"))
    s.maps.push_back({m.at("name"), m.at("encoder"), m.at("dimensions"), number(m.at("divergence")), m.at("found_nothing")});
}

Selection get_selection(const Json& json) {
  Selection s;
  s.target.name = json.at("target");
  const Json& target = json.at("target_type");
  s.target.categorical = target.at("categorical");
  s.target.classes = target.value("classes", std::size_t{0});
  s.target.entropy = target.value("entropy", 0.0);
  s.samples = json.at("samples");
  s.method = json.at("method");
  for (const auto& [name, value] : json.at("options").items()) s.options.emplace_back(name, value);
  const auto option = [&](const char* name) { return json.at("options").at(name).get<std::string>(); };
  s.alpha = std::stod(option("alpha"));
  s.min_cmi = std::stod(option("min-cmi"));
  s.delta = std::stoull(option("delta"));
  s.no_children = option("no-children") == "true";
  s.seed = json.at("seed");
  s.blanket.members = json.at("blanket");
  s.blanket.tests = json.at("tests");
  s.blanket.partial = json.at("partial");
  s.blanket.stopped_in = json.value("stopped_in", "");
  s.blanket.notes = json.at("remarks");
  if (json.contains("maps")) get_maps(json.at("maps"), s);
  for (const Json& feature : json.at("features")) s.blanket.features.push_back(get_feature(feature));
  return s;
}

}  // namespace

std::string selection_json(const Selection& s, const SelectionTiming& timing) {
  Json json = {{"target", s.target.name}, {"blanket", s.blanket.members}, {"features", Json::array()}};
  for (const FeatureVerdict& f : s.blanket.features) json["features"].push_back(feature_json(f, s.target));
  json["tests"] = s.blanket.tests;
  json["seed"] = s.seed;
  json["version"] = version();
  json["samples"] = s.samples;
  json["target_type"] = {{"categorical", s.target.categorical}};
  if (s.target.categorical) json["target_type"].update({{"classes", s.target.classes}, {"entropy", s.target.entropy}});
  json["method"] = s.method;
  if (!s.maps.empty()) json["maps"] = maps_json(s);
  json["partial"] = s.blanket.partial;
  if (s.blanket.partial) json["stopped_in"] = s.blanket.stopped_in;
  json["remarks"] = s.blanket.notes;
  json["options"] = Json::object();
  for (const auto& [name, value] : s.options) json["options"][name] = value;
  json["timing"] = {{"seconds", timing.seconds}, {"threads", timing.threads}, {"tests_made", timing.tests_made}};
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

Selection read_selection_json(const std::string& text, const std::string& source) {
  try {
    return get_selection(Json::parse(text));
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{} is not a result of `macmi select --json` or `--out`: {}", source, error.what()));
  }
}

}  // namespace macmi
