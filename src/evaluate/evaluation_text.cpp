// An evaluation as table and as JSON.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <map>
#include <nlohmann/json.hpp>

#include "macmi/error.hpp"
#include "macmi/evaluate.hpp"

namespace macmi {
namespace {

using Json = nlohmann::ordered_json;

/// Features and in how many parts they were chosen, most often first.
std::string how_often(const EvaluatedSet& set) {
  std::map<std::string, std::size_t> counts;
  for (const auto& names : set.features)
    for (const std::string& name : names) ++counts[name];
  std::vector<std::pair<std::string, std::size_t>> order(counts.begin(), counts.end());
  std::stable_sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.second > b.second; });
  std::vector<std::string> texts;
  for (const auto& [name, count] : order)
    texts.push_back(count == set.features.size() ? name
                                                 : fmt::format("{} ({} of {})", name, count, set.features.size()));
  return fmt::format("{}", fmt::join(texts, ", "));
}

Json json_of(const EvaluatedSet& s, bool two_classes) {
  Json set = {
      {"name", s.name}, {"size", s.size}, {"features", s.features}, {"gain", s.gain}, {"gain_error", s.gain_error}};
  if (!two_classes) {
    set["r_squared"] = s.r_squared;
    return set;
  }
  set["auc"] = s.auc;
  set["average_precision"] = s.average_precision;
  set["roc"] = s.roc;
  return set;
}

}  // namespace

std::string evaluation_text(const Evaluation& e) {
  std::string text = fmt::format(
      "Predicting {} with {} parts of {} samples{}\n\n  {:<18}{:>9}{:>9}{:>11}  {}\n", e.target, e.parts, e.samples,
      e.nested ? ", the selection repeated in each" : " (the selection has seen all of them: optimistic)", "features",
      "number", e.two_classes ? "AUC" : "R²", e.two_classes ? "precision" : "", "nats over a constant");
  for (const EvaluatedSet& s : e.sets)
    text += fmt::format("  {:<18}{:>9.1f}{:>9.3f}{:>11}  {:.3f} ± {:.3f}\n", s.name, s.size,
                        e.two_classes ? s.auc : s.r_squared,
                        e.two_classes ? fmt::format("{:.3f}", s.average_precision) : "", s.gain, s.gain_error);
  text += "\n";
  for (const EvaluatedDifference& d : e.differences)
    text += fmt::format("  selected minus {:<18}{} {:+.3f} (95%: {:+.3f} to {:+.3f})\n", d.second,
                        d.measure == "auc" ? "AUC" : "nats", d.difference, d.low, d.high);
  for (const EvaluatedSet& s : e.sets)
    if (s.name == "selected" || s.name == "l1") text += fmt::format("\n  {}: {}\n", s.name, how_often(s));
  for (const std::string& note : e.notes) text += fmt::format("\n  {}\n", note);
  return text;
}

std::string evaluation_json(const Evaluation& e) {
  Json sets = Json::array(), differences = Json::array();
  for (const EvaluatedSet& s : e.sets) sets.push_back(json_of(s, e.two_classes));
  for (const EvaluatedDifference& d : e.differences)
    differences.push_back({{"first", d.first},
                           {"second", d.second},
                           {"measure", d.measure},
                           {"difference", d.difference},
                           {"low", d.low},
                           {"high", d.high}});
  return Json({{"target", e.target},
               {"two_classes", e.two_classes},
               {"parts", e.parts},
               {"samples", e.samples},
               {"seed", e.seed},
               {"selection_repeated", e.nested},
               {"selection", e.selection},
               {"sets", sets},
               {"differences", differences},
               {"notes", e.notes}})
      .dump(2);
}

Evaluation read_evaluation_json(const std::string& text, const std::string& path) {
  try {
    const Json json = Json::parse(text);
    Evaluation e;
    e.target = json.at("target");
    e.two_classes = json.at("two_classes");
    e.parts = json.at("parts");
    e.samples = json.at("samples");
    e.seed = json.at("seed");
    e.nested = json.at("selection_repeated");
    e.selection = json.at("selection").get<std::vector<std::string>>();
    e.notes = json.at("notes").get<std::vector<std::string>>();
    for (const Json& set : json.at("sets")) {
      EvaluatedSet& s = e.sets.emplace_back();
      s.name = set.at("name");
      s.size = set.at("size");
      s.features = set.at("features").get<std::vector<std::vector<std::string>>>();
      s.gain = set.at("gain");
      s.gain_error = set.at("gain_error");
      s.auc = set.value("auc", 0.0);
      s.average_precision = set.value("average_precision", 0.0);
      s.r_squared = set.value("r_squared", 0.0);
      s.roc = set.value("roc", std::vector<std::pair<double, double>>());
    }
    for (const Json& d : json.at("differences"))
      e.differences.push_back(
          {d.at("first"), d.at("second"), d.at("measure"), d.at("difference"), d.at("low"), d.at("high")});
    return e;
  } catch (const nlohmann::json::exception& error) {
    throw InputError(fmt::format("{} is no evaluation of macmi: {}", path, error.what()));
  }
}

}  // namespace macmi
