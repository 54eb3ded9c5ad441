#include "report/maps_json.hpp"

#include "macmi/error.hpp"

namespace macmi::report {

using Json = nlohmann::ordered_json;

Json maps_json(const std::vector<MapPicture>& maps) {
  Json all = Json::array();
  for (const MapPicture& map : maps) {
    Json json = {{"feature", map.feature}, {"coordinates", map.coordinates}, {"target", map.target}};
    if (!map.classes.empty()) json["classes"] = map.classes;
    if (const auto& s = map.surface)
      json["surface"] = {{"x", {s->x_low, s->x_high}},
                         {"y", {s->y_low, s->y_high}},
                         {"columns", s->columns},
                         {"rows", s->rows},
                         {"mean", s->mean}};
    all.push_back(std::move(json));
  }
  return all;
}

Json training_json(const std::vector<TrainingCurve>& curves) {
  Json all = Json::array();
  for (const TrainingCurve& c : curves)
    all.push_back({{"label", c.label},
                   {"epochs", c.epochs},
                   {"training", c.training},
                   {"validation", c.validation},
                   {"kept", c.kept}});
  return all;
}

std::vector<MapPicture> get_maps(const Json& all) {
  std::vector<MapPicture> maps;
  for (const Json& json : all) {
    MapPicture map{json.at("feature"),
                   json.at("coordinates"),
                   json.at("target"),
                   json.value("classes", std::vector<std::string>()),
                   {}};
    for (const auto& axis : map.coordinates)
      if (axis.size() != map.target.size()) throw InputError("a map has coordinates and targets of different length");
    if (json.contains("surface")) {
      const Json& s = json.at("surface");
      map.surface = MapPicture::Surface{s.at("x").at(0), s.at("x").at(1), s.at("y").at(0), s.at("y").at(1),
                                        s.at("columns"), s.at("rows"),    s.at("mean")};
      if (map.surface->mean.size() != map.surface->columns * map.surface->rows)
        throw InputError("a map's surface is not complete");
    }
    maps.push_back(std::move(map));
  }
  return maps;
}

std::vector<TrainingCurve> get_training(const Json& all) {
  std::vector<TrainingCurve> curves;
  for (const Json& json : all)
    curves.push_back({json.at("label"), json.at("epochs"), json.at("training"),
                      json.value("validation", std::vector<double>()), json.value("kept", 0.0)});
  return curves;
}

}  // namespace macmi::report
