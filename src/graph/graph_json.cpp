#include <cmath>
#include <nlohmann/json.hpp>

#include "macmi/graph.hpp"
#include "macmi/version.hpp"

namespace macmi {
namespace {

using Json = nlohmann::ordered_json;

Json number(double value) {
  return std::isfinite(value) ? Json(value) : Json(nullptr);
}

Json texts_json(const OptionTexts& texts) {
  Json json = Json::object();
  for (const auto& [name, value] : texts) json[name] = value;
  return json;
}

Json edge_json(const GraphEdge& edge, bool repeated) {
  Json json = {{"a", edge.a}, {"b", edge.b}, {"type", edge.directed ? "->" : "--"}};
  const CiResult& r = edge.weakest.result;
  if (edge.copy || r.n == 0) {
    json.update({{"effect", nullptr}, {"p_value", nullptr}});
  } else {
    json.update({{"effect", number(r.effect)},
                 {"p_value", number(resolved_p(r))},
                 {"given", edge.weakest.given},
                 {"n", r.n},
                 {"permutations", r.permutations}});
    if (!r.notes.empty()) json["remarks"] = r.notes;
  }
  if (edge.required) json["required"] = true;
  if (edge.copy) json["copy"] = true;
  if (repeated && !edge.copy) json["found_in"] = edge.found_in;
  if (repeated && edge.directed) json["directed_in"] = edge.directed_in;
  return json;
}

Json separation_json(const Separation& separation) {
  Json json = {{"a", separation.a}, {"b", separation.b}};
  if (separation.forbidden)
    json["forbidden"] = true;
  else
    json.update({{"separating_set", separation.by.given},
                 {"effect", number(separation.by.result.effect)},
                 {"p_value", number(resolved_p(separation.by.result))}});
  if (separation.by.result.undecidable) json["undecidable"] = true;
  return json;
}

Json timing_json(const SelectionTiming& timing) {
  Json json = {{"seconds", timing.seconds},
               {"threads", timing.threads},
               {"tests_made", timing.tests_made},
               {"tests_continued", timing.tests_continued},
               {"tests_reused", timing.tests_reused}};
  if (!timing.source.empty()) json["source"] = timing.source;
  if (!timing.command.empty()) json["command"] = timing.command;
  if (timing.ranks)
    json.update({{"ranks", timing.ranks}, {"efficiency", timing.efficiency}, {"tests_of_rank", timing.tests_of_rank}});
  return json;
}

}  // namespace

std::string graph_json(const Graph& graph, const SelectionTiming& timing) {
  Json json = {{"nodes", graph.nodes}, {"edges", Json::array()}};
  for (const GraphEdge& edge : graph.edges) json["edges"].push_back(edge_json(edge, graph.subsamples > 0));
  json["tests"] = graph.tests;
  json["seed"] = graph.seed;
  json["version"] = version();
  json["samples"] = graph.samples;
  json["method"] = graph.method;
  json["partial"] = graph.partial;
  if (graph.partial) json["stopped_in"] = graph.stopped_in;
  json["remarks"] = graph.notes;
  json["options"] = texts_json(graph.options);
  json["data_options"] = texts_json(graph.data_options);
  if (graph.subsamples > 0) json["stability"] = {{"subsamples", graph.subsamples}, {"share", graph.share}};
  json["health"] = graph.health;
  json["separations"] = Json::array();
  for (const Separation& separation : graph.separations) json["separations"].push_back(separation_json(separation));
  json["timing"] = timing_json(timing);
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace macmi
