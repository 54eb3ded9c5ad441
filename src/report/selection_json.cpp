#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>

#include "macmi/error.hpp"
#include "macmi/version.hpp"
#include "report/feature_json.hpp"
#include "report/maps_json.hpp"
#include "report/selection.hpp"
#include "report/sufficiency_json.hpp"

namespace macmi::report {
namespace {

using Json = nlohmann::ordered_json;

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
}  // namespace macmi::report

namespace macmi {

std::string selection_json(const Selection& s, const SelectionTiming& timing) {
  report::Json json = {{"target", s.target.name}, {"blanket", s.blanket.members}, {"features", report::Json::array()}};
  for (std::size_t f = 0; f < s.blanket.features.size(); ++f) {
    json["features"].push_back(
        report::feature_json(s.blanket.features[f], s.target, report::has_second_pass(s.blanket)));
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
  if (!s.maps.empty()) json["maps"] = report::map_summaries_json(s);
  json["partial"] = s.blanket.partial;
  if (s.blanket.partial) json["stopped_in"] = s.blanket.stopped_in;
  if (!std::isnan(s.blanket.joint_level)) json["joint_level"] = s.blanket.joint_level;
  json["remarks"] = s.blanket.notes;
  json["options"] = report::texts_json(s.options);
  if (!s.data_options.empty()) json["data_options"] = report::texts_json(s.data_options);
  if (s.sufficiency) json["sufficiency"] = report::sufficiency_json(*s.sufficiency);
  if (s.stability)
    json["stability"] = {
        {"subsamples", s.stability->subsamples}, {"share", s.stability->share}, {"light", s.stability->light}};
  json["health"] = s.health;
  if (!s.map_pictures.empty()) json["map_pictures"] = report::maps_json(s.map_pictures);
  if (!s.training.empty()) json["training"] = report::training_json(s.training);
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
  std::string text = json.dump(2, ' ', false, report::Json::error_handler_t::replace);
  text.erase(text.rfind('\n'));
  return fmt::format("{},\n  \"test_log\": {}\n}}", text, report::log_text(s.blanket.log));
}

SelectionTiming read_selection_timing(const std::string& text, const std::string& source) {
  try {
    const report::Json json = report::Json::parse(text).value("timing", report::Json::object());
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
    return report::get_selection(report::Json::parse(text));
  } catch (const std::exception& error) {
    throw InputError(fmt::format("{} is not a result of `macmi select --json` or `--out`: {}", source, error.what()));
  }
}

}  // namespace macmi
