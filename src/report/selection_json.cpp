#include <fmt/format.h>
#include <fmt/ranges.h>

#include <cmath>
#include <limits>
#include <nlohmann/json.hpp>
#include <sstream>

#include "macmi/error.hpp"
#include "macmi/version.hpp"
#include "report/maps_json.hpp"
#include "report/selection.hpp"
#include "report/sufficiency_json.hpp"

namespace macmi {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}
double number(const Json& json) {
  return json.is_null() ? std::numeric_limits<double>::quiet_NaN() : json.get<double>();
}

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

UsedTest get_used_test(const Json& json) {
  UsedTest test{json.at("name"), get_evidence(json), json.at("stage"), {}};
  if (!json.at("dependent").is_null()) test.dependent = json.at("dependent").get<bool>();
  return test;
}

/// One line per test: there may be thousands.
std::string log_text(const std::vector<UsedTest>& log) {
  std::string text = "[";
  for (const UsedTest& test : log)
    text += fmt::format("{}\n    {}", text.size() == 1 ? "" : ",",
                        used_test_json(test).dump(-1, ' ', false, Json::error_handler_t::replace));
  return text + (log.empty() ? "]" : "\n  ]");
}

/// What the second pass measured, under the names of a test.
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

Json feature_json(const FeatureVerdict& f, const TargetSummary& target, bool second_pass) {
  Json json = {{"name", f.name}, {"role", text(f.role)}};
  put_evidence(json, f, target, second_pass);
  json["separating_set"] =
      f.role == Role::excluded && (f.deciding || !f.same_as.empty()) ? Json(f.separating_set) : Json(nullptr);
  json["reason"] = text(f.reason);
  if (!f.same_as.empty()) json["same_as"] = f.same_as;
  if (f.role != Role::excluded) json["re_tested"] = f.re_tested, json["interchangeable"] = f.interchangeable;
  if (f.marginal) put(json["marginal"], *f.marginal, target);
  if (const CiResult* r = test_shown(f); r != nullptr && !r->null_histogram.counts.empty())
    json["null_histogram"] = histogram_json(r->null_histogram);
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
  if (json.contains("marginal")) f.marginal = get_result(json.at("marginal"));
  f.tests = json.at("tests");
  f.near_miss_count = json.at("near_miss_count");
  for (const Json& e : json.at("near_misses")) f.near_misses.push_back(get_evidence(e));
  return f;
}

Json map_summaries_json(const Selection& s) {
  Json json = {{"folds", s.folds},
               {"validation_gain", number(s.validation_gain)},
               {"training_gain", number(s.training_gain)},
               {"features", Json::array()}};
  for (const MapSummary& m : s.maps)
    json["features"].push_back({{"name", m.name},
                                {"encoder", m.encoder},
                                {"dimensions", m.dimensions},
                                {"divergence", number(m.divergence)},
                                {"found_nothing", m.found_nothing}});
  return json;
}

void get_map_summaries(const Json& json, Selection& s) {
  s.folds = json.at("folds");
  s.validation_gain = number(json.at("validation_gain"));
  s.training_gain = number(json.at("training_gain"));
  for (const Json& m : json.at("features"))
    s.maps.push_back(
        {m.at("name"), m.at("encoder"), m.at("dimensions"), number(m.at("divergence")), m.at("found_nothing")});
}

Json texts_json(const OptionTexts& texts) {
  Json json = Json::object();
  for (const auto& [name, value] : texts) json[name] = value;
  return json;
}

OptionTexts get_texts(const Json& json) {
  OptionTexts texts;
  for (const auto& [name, value] : json.items()) texts.emplace_back(name, value);
  return texts;
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
  s.options = get_texts(json.at("options"));
  s.data_options = get_texts(json.value("data_options", Json::object()));
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
  if (json.contains("joint_level")) s.blanket.joint_level = json.at("joint_level");
  s.blanket.notes = json.at("remarks");
  if (json.contains("maps")) get_map_summaries(json.at("maps"), s);
  for (const Json& feature : json.at("features")) s.blanket.features.push_back(get_feature(feature));
  if (json.contains("stability")) {
    const Json& stability = json.at("stability");
    s.stability =
        Stability{stability.at("subsamples"), stability.at("share"), {}, {}, {}, stability.value("light", false)};
    for (const Json& feature : json.at("features")) {
      s.stability->features.push_back(feature.at("name"));
      s.stability->selected_in.push_back(feature.at("selected_in"));
      s.stability->exchanged_for.push_back(feature.value("exchanged_for", std::vector<std::string>()));
    }
  }
  if (json.contains("sufficiency")) s.sufficiency = get_sufficiency(json.at("sufficiency"));
  s.health = json.value("health", std::vector<std::string>());
  if (json.contains("map_pictures")) s.map_pictures = get_maps(json.at("map_pictures"));
  if (json.contains("training")) s.training = get_training(json.at("training"));
  if (json.contains("test_log"))
    for (const Json& test : json.at("test_log")) s.blanket.log.push_back(get_used_test(test));
  return s;
}

}  // namespace

std::string selection_json(const Selection& s, const SelectionTiming& timing) {
  Json json = {{"target", s.target.name}, {"blanket", s.blanket.members}, {"features", Json::array()}};
  for (std::size_t f = 0; f < s.blanket.features.size(); ++f) {
    json["features"].push_back(feature_json(s.blanket.features[f], s.target, has_second_pass(s.blanket)));
    if (!s.stability) continue;
    json["features"].back()["selected_in"] = s.stability->selected_in[f];  // both sorted by name
    if (const auto& others = s.stability->exchanged_for[f]; !others.empty())
      json["features"].back()["exchanged_for"] = others;
  }
  json["tests"] = s.blanket.tests;
  json["seed"] = s.seed;
  json["version"] = version();
  json["samples"] = s.samples;
  json["target_type"] = {{"categorical", s.target.categorical}};
  if (s.target.categorical) json["target_type"].update({{"classes", s.target.classes}, {"entropy", s.target.entropy}});
  json["method"] = s.method;
  if (!s.maps.empty()) json["maps"] = map_summaries_json(s);
  json["partial"] = s.blanket.partial;
  if (s.blanket.partial) json["stopped_in"] = s.blanket.stopped_in;
  if (!std::isnan(s.blanket.joint_level)) json["joint_level"] = s.blanket.joint_level;
  json["remarks"] = s.blanket.notes;
  json["options"] = texts_json(s.options);
  if (!s.data_options.empty()) json["data_options"] = texts_json(s.data_options);
  if (s.sufficiency) json["sufficiency"] = sufficiency_json(*s.sufficiency);
  if (s.stability)
    json["stability"] = {
        {"subsamples", s.stability->subsamples}, {"share", s.stability->share}, {"light", s.stability->light}};
  json["health"] = s.health;
  if (!s.map_pictures.empty()) json["map_pictures"] = maps_json(s.map_pictures);
  if (!s.training.empty()) json["training"] = training_json(s.training);
  json["timing"] = {{"seconds", timing.seconds},
                    {"threads", timing.threads},
                    {"tests_made", timing.tests_made},
                    {"tests_continued", timing.tests_continued},
                    {"tests_reused", timing.tests_reused}};
  if (!timing.source.empty()) json["timing"]["source"] = timing.source;
  if (!timing.command.empty()) json["timing"]["command"] = timing.command;
  if (timing.ranks)
    json["timing"].update(
        {{"ranks", timing.ranks}, {"efficiency", timing.efficiency}, {"tests_of_rank", timing.tests_of_rank}});
  std::string text = json.dump(2, ' ', false, Json::error_handler_t::replace);
  text.erase(text.rfind('\n'));
  return fmt::format("{},\n  \"test_log\": {}\n}}", text, log_text(s.blanket.log));
}

SelectionTiming read_selection_timing(const std::string& text, const std::string& source) {
  try {
    const Json json = Json::parse(text).value("timing", Json::object());
    return {json.value("seconds", 0.0),
            json.value("threads", std::size_t{0}),
            json.value("tests_made", std::size_t{0}),
            json.value("tests_continued", std::size_t{0}),
            json.value("tests_reused", std::size_t{0}),
            json.value("source", ""),
            json.value("command", ""),
            json.value("ranks", std::size_t{0}),
            json.value("efficiency", 0.0),
            json.value("tests_of_rank", std::vector<std::size_t>{})};
  } catch (const std::exception& error) {
    throw InputError(
        fmt::format("{}: the block 'timing' is not as `macmi select` writes it: {}", source, error.what()));
  }
}

Selection read_selection_json(const std::string& text, const std::string& source) {
  try {
    return get_selection(Json::parse(text));
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{} is not a result of `macmi select --json` or `--out`: {}", source, error.what()));
  }
}

}  // namespace macmi
