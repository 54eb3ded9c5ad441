// The short form of a result that the report page draws. Features go by their place in the list, numbers have as many
// digits as a person can use: a page of 50 features and 2,000 tests stays small enough to mail.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <map>
#include <nlohmann/json.hpp>

#include "macmi/evaluate.hpp"
#include "macmi/version.hpp"
#include "report/html.hpp"
#include "report/maps_json.hpp"
#include "report/selection.hpp"

namespace macmi::report {
namespace {

using Json = nlohmann::ordered_json;

constexpr std::size_t pictures_shown = 24, samples_shown = 8000, surface_cells_shown = 12000;

Json rounded(double value, int digits = 6) {
  if (!std::isfinite(value)) return nullptr;
  return std::strtod(fmt::format("{:.{}g}", value, digits).c_str(), nullptr);
}

Json rounded(const std::vector<double>& values, int digits = 4) {
  Json all = Json::array();
  for (const double value : values) all.push_back(rounded(value, digits));
  return all;
}

/// Information and what share of the target's uncertainty it is, as numbers to sort by and as texts.
Json effect_json(const Selection& s, double effect, double error) {
  return {{"effect", rounded(effect)},
          {"error", rounded(error)},
          {"share", rounded(uncertainty_share(s.target, effect))},
          {"nats_text", nats_text(effect, error)},
          {"share_text", std::isnan(effect) ? "-" : share_text(uncertainty_share(s.target, effect))}};
}

/// The evidence on a feature that the tables show.
Json evidence_json(const Selection& s, const ShownEvidence& e) {
  Json json = effect_json(s, e.effect, e.effect_error);
  json["p"] = rounded(e.p_value), json["p_text"] = p_text(e.p_value);
  if (!std::isnan(e.q_value)) json["q"] = rounded(e.q_value), json["q_text"] = p_text(e.q_value);
  return json;
}

/// On the scale of the effect: nats above the null's mean.
Json histogram_json(const CiResult& r) {
  const double null_mean = r.statistic - r.effect;
  return {{"low", rounded(r.null_histogram.low - null_mean)},
          {"high", rounded(r.null_histogram.high - null_mean)},
          {"counts", r.null_histogram.counts}};
}

/// A result keeps the deviations T of a covariance as information: statistic = ½ log(1 + T²/n).
double deviations_of_covariance(const CiResult& r) {
  return std::sqrt(static_cast<double>(r.n) * std::expm1(2 * r.statistic));
}

class Places {
 public:
  explicit Places(const Blanket& blanket) {
    for (const FeatureVerdict& f : blanket.features) places_.emplace(f.name, places_.size());
  }
  std::size_t of(const std::string& name) const { return places_.at(name); }
  std::vector<std::size_t> of(const std::vector<std::string>& names) const {
    std::vector<std::size_t> all;
    for (const std::string& name : names) all.push_back(of(name));
    return all;
  }

 private:
  std::map<std::string, std::size_t> places_;
};

Json feature_json(const Selection& s, const FeatureVerdict& f, const Places& places) {
  Json json = {{"name", f.name},
               {"role", text(f.role)},
               {"reason", text(f.reason)},
               {"tests", f.tests},
               {"near", f.near_miss_count}};
  const ShownEvidence e = shown(s.blanket, f);
  if (f.measured || f.deciding) {
    json["evidence"] = evidence_json(s, e);
    json["given"] = places.of(f.measured ? f.measured->given : f.deciding->given);
  }
  if (!std::isnan(e.alone)) json["alone"] = effect_json(s, e.alone, MeasuredFeature::unknown);
  if (const CiResult* test = test_shown(f); test != nullptr && !test->null_histogram.counts.empty()) {
    json["histogram"] = histogram_json(*test);
    json["histogram"]["observed"] = rounded(test->effect), json["histogram"]["observed_text"] = nats_text(test->effect);
  }
  if (const CiResult* test = test_shown(f); test != nullptr && test->rule == "covariance")
    json["covariance"] = {{"deviations", rounded(deviations_of_covariance(*test), 3)}, {"p_text", p_text(e.p_value)}};
  if (f.role == Role::excluded) {
    json["why"] = short_reason(f);
    json["separating"] = places.of(f.separating_set);
  } else {
    json["re_tested"] = f.re_tested || f.measured;
    if (f.partner) json["together"] = fmt::format("{} ({} nats)", f.partner->name, nats_text(f.partner->information));
    if (!f.interchangeable.empty()) json["interchangeable"] = places.of(f.interchangeable);
  }
  if (!f.same_as.empty()) json["same_as"] = places.of(f.same_as);
  if (const std::string times = stability_cell(s, f); !times.empty()) {
    json["selected_in"] = s.stability->selected_in[places.of(f.name)];
    json["selected_in_text"] = times;
  }
  json["lines"] = explanation(s, f.name);
  return json;
}

Json tests_json(const Selection& s, const Places& places) {
  std::vector<std::string> stages;
  Json rows = Json::array();
  for (const UsedTest& test : s.blanket.log) {
    const auto stage = std::find(stages.begin(), stages.end(), test.stage);
    const auto place = stage - stages.begin();
    if (stage == stages.end()) stages.push_back(test.stage);
    const CiResult& r = test.evidence.result;
    rows.push_back({places.of(test.feature), places.of(test.evidence.given), place,
                    test.dependent ? Json(*test.dependent ? 1 : 0) : Json(nullptr), rounded(r.effect, 4),
                    rounded(r.p_value, 3), r.n, r.k, r.permutations});
  }
  return {{"stages", stages}, {"rows", rows}};
}

/// Evenly spaced samples, so that all panels together stay readable and small.
MapPicture thinned(const MapPicture& map, std::size_t samples) {
  MapPicture part{map.feature, std::vector<std::vector<double>>(map.coordinates.size()), {}, map.classes, map.surface};
  const std::size_t n = map.target.size(), count = std::min(n, samples);
  for (std::size_t i = 0; i < count; ++i) {
    const std::size_t row = i * n / count;
    part.target.push_back(map.target[row]);
    for (std::size_t c = 0; c < map.coordinates.size(); ++c) part.coordinates[c].push_back(map.coordinates[c][row]);
  }
  return part;
}

/// Every so many cells of the grid, where it has more than `cells`.
void coarsen(MapPicture::Surface& s, std::size_t cells) {
  const double shrink = std::sqrt(static_cast<double>(s.columns * s.rows) / static_cast<double>(cells));
  if (shrink <= 1) return;
  const auto columns = std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(s.columns) / shrink));
  const auto rows = std::max<std::size_t>(1, static_cast<std::size_t>(static_cast<double>(s.rows) / shrink));
  std::vector<double> mean;
  for (std::size_t r = 0; r < rows; ++r)
    for (std::size_t c = 0; c < columns; ++c)
      mean.push_back(s.mean[(2 * r + 1) * s.rows / (2 * rows) * s.columns + (2 * c + 1) * s.columns / (2 * columns)]);
  s = {s.x_low, s.x_high, s.y_low, s.y_high, columns, rows, std::move(mean)};
}

/// Of selected features, strongest first.
Json pictures_json(const Selection& s) {
  std::vector<const MapPicture*> shown;
  for (const FeatureVerdict* f : by_effect(s.blanket, true))
    for (const MapPicture& map : s.map_pictures)
      if (map.feature == f->name && shown.size() < pictures_shown) shown.push_back(&map);
  Json all = Json::array();
  for (const MapPicture* map : shown) {
    MapPicture part = thinned(*map, samples_shown / shown.size());
    if (part.surface) coarsen(*part.surface, surface_cells_shown / shown.size());
    Json json = maps_json({part}).front();
    json["target"] = rounded(part.target);
    for (std::size_t c = 0; c < part.coordinates.size(); ++c) json["coordinates"][c] = rounded(part.coordinates[c]);
    if (part.surface) json["surface"]["mean"] = rounded(part.surface->mean, 3);
    json["samples"] = map->target.size();
    all.push_back(std::move(json));
  }
  return all;
}

Json curves_json(const std::vector<TrainingCurve>& curves) {
  Json all = training_json(curves);
  for (std::size_t c = 0; c < curves.size(); ++c) {
    all[c]["training"] = rounded(curves[c].training);
    all[c]["validation"] = rounded(curves[c].validation);
  }
  return all;
}

/// Measures with three digits; the features of sets are in the evaluation's own file.
Json evaluation_summary(const Evaluation& e) {
  Json sets = Json::array(), differences = Json::array();
  for (const EvaluatedSet& set : e.sets) {
    Json curve = Json::array();
    for (const auto& [x, y] : set.roc) curve.push_back({rounded(x, 4), rounded(y, 4)});
    sets.push_back({{"name", set.name},
                    {"size", rounded(set.size, 3)},
                    {"score", rounded(e.two_classes ? set.auc : set.r_squared, 4)},
                    {"precision", e.two_classes ? rounded(set.average_precision, 4) : Json()},
                    {"gain", rounded(set.gain, 3)},
                    {"error", rounded(set.gain_error, 2)},
                    {"roc", curve}});
  }
  for (const EvaluatedDifference& d : e.differences)
    differences.push_back({{"with", d.second},
                           {"measure", d.measure},
                           {"difference", rounded(d.difference, 3)},
                           {"low", rounded(d.low, 3)},
                           {"high", rounded(d.high, 3)}});
  return {{"two_classes", e.two_classes},
          {"parts", e.parts},
          {"repeated", e.nested},
          {"sets", sets},
          {"differences", differences}};
}

}  // namespace

std::string report_data(const Selection& s, const SelectionTiming& timing, const Evaluation* evaluation) {
  const Places places(s.blanket);
  Json json = {{"target", s.target.name},
               {"advice", s.blanket.members.empty() ? advice_when_empty(s) : std::vector<std::string>()},
               {"samples", s.samples},
               {"tests", s.blanket.tests},
               {"method", s.method},
               {"alpha", s.alpha},
               {"min_cmi", s.min_cmi},
               {"no_children", s.no_children},
               {"categorical", s.target.categorical},
               {"classes", s.target.classes},
               {"entropy_text", nats_text(s.target.entropy)},
               {"partial", s.blanket.partial},
               {"remarks", s.blanket.notes},
               {"health", s.health},
               {"features", Json::array()}};
  for (const FeatureVerdict& f : s.blanket.features) json["features"].push_back(feature_json(s, f, places));
  for (const bool selected : {true, false})
    for (const FeatureVerdict* f : by_effect(s.blanket, selected)) json["order"].push_back(places.of(f->name));
  json["second_pass"] = has_second_pass(s.blanket);
  if (s.sufficiency) json["sufficiency"] = {{"text", sufficiency_text(s)}, {"measured", s.sufficiency->measured()}};
  if (s.stability)
    json["stability"] = {
        {"subsamples", s.stability->subsamples}, {"legend", stability_legend(s)}, {"come_and_go", come_and_go(s)}};
  json["log"] = tests_json(s, places);
  json["maps"] = pictures_json(s);
  json["training"] = curves_json(s.training);
  if (evaluation) json["evaluation"] = evaluation_summary(*evaluation);
  json["settings"] = s.options;
  json["version"] = version();
  json["timing"] = {{"seconds", rounded(timing.seconds, 3)},
                    {"threads", timing.threads},
                    {"tests_made", timing.tests_made},
                    {"source", timing.source},
                    {"command", timing.command}};
  if (timing.ranks)
    json["timing"].update({{"ranks", timing.ranks}, {"efficiency_text", share_text(timing.efficiency)}});
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

}  // namespace macmi::report
