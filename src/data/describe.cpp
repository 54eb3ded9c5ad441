// Describes how the data was understood, for people and as JSON.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/number_of.hpp"
#include "macmi/dataset.hpp"

namespace macmi {
namespace {

using Json = nlohmann::ordered_json;

const char* missing_name(Missing missing) {
  static constexpr const char* names[] = {"auto", "pairwise", "impute", "error"};
  return names[static_cast<std::size_t>(missing)];
}

std::string shape_text(const Feature& feature) {
  if (feature.is_series()) return fmt::format("series {} × {}", feature.steps, feature.channels);
  return feature.channels == 1 ? "" : fmt::format("vector of {}", feature.channels);
}

std::string range_text(const Feature& feature) {
  if (feature.columns.size() != 1) return "";
  const DataColumn& column = feature.columns[0];
  if (column.is_categorical()) return base::number_of(column.labels.size(), "label");
  double low = INFINITY, high = -INFINITY;
  for (const double value : column.values)
    low = std::min(low, value != value ? low : value), high = std::max(high, value != value ? high : value);
  return low > high    ? "no value"
         : low == high ? fmt::format("{:.6g}", low)
                       : fmt::format("{:.6g} to {:.6g}", low, high);
}

Json counts(const std::vector<DataHealth::Count>& list) {
  Json json = Json::array();
  for (const auto& item : list) json.push_back({{"name", item.name}, {"count", item.count}});
  return json;
}

Json health_json(const DataHealth& health) {
  Json ties = Json::array();
  for (const auto& t : health.ties) ties.push_back({{"name", t.name}, {"share", t.share}, {"distinct", t.distinct}});
  return {{"rows_read", health.rows_read},
          {"samples", health.samples},
          {"target_missing", health.target_missing},
          {"not_drawn", health.not_drawn},
          {"short_units", health.short_units},
          {"units_with_gaps", health.units_with_gaps},
          {"missing_steps", health.missing_steps},
          {"constant", health.constant},
          {"duplicates", health.duplicates},
          {"missing", counts(health.missing)},
          {"infinite", counts(health.infinite)},
          {"ties", std::move(ties)},
          {"id_like", health.id_like},
          {"group_widths", counts(health.group_widths)},
          {"mixed_units", health.mixed_units},
          {"classes", counts(health.classes)},
          {"remarks", health.remarks}};
}

Json feature_json(const Feature& feature) {
  Json json = {{"name", feature.name},
               {"type", type_name(feature.type())},
               {"steps", feature.steps},
               {"channels", feature.channels}};
  if (feature.columns.size() == 1 && feature.columns[0].is_categorical()) json["labels"] = feature.columns[0].labels;
  json["incomplete"] = feature.incomplete();
  Json columns = Json::array();
  for (std::size_t channel = 0; channel < feature.channels; ++channel) {
    const DataColumn& column = feature.columns[channel];
    columns.push_back({{"name", column.name},
                       {"type", type_name(column.type)},
                       {"center", column.scaling.center},
                       {"scale", column.scaling.scale}});
  }
  json["columns"] = std::move(columns);
  return json;
}

void add_line(const Feature& feature, std::size_t width, std::string& text) {
  const std::size_t incomplete = feature.incomplete();
  std::string line = fmt::format("  {:<{}}  {:<11}  {:<15}  {}", feature.name, width, type_name(feature.type()),
                                 shape_text(feature), range_text(feature));
  if (incomplete > 0) line += fmt::format("  {} incomplete", incomplete);
  line.erase(line.find_last_not_of(' ') + 1);
  text += line + "\n";
}

}  // namespace

std::string describe(const Dataset& data) {
  std::size_t width = 4;
  for (const Feature& feature : data.features) width = std::max(width, std::min<std::size_t>(feature.name.size(), 40));
  std::string text = fmt::format("{}: {}, {}\n", data.source, base::number_of(data.samples(), "sample"),
                                 base::number_of(data.features.size(), "feature"));
  if (data.has_target()) {
    text += "\ntarget\n";
    add_line(data.target, width, text);
  }
  text += "\nfeatures\n";
  for (const Feature& feature : data.features) add_line(feature, width, text);
  const std::vector<std::string> health = health_lines(data.health);
  text += health.empty() ? "\nhealth: nothing to report\n" : "\nhealth\n";
  for (const std::string& line : health) text += "  " + line + "\n";
  text += fmt::format("\nmissing values: {}; fingerprint {}\n", missing_name(data.missing), data.fingerprint());
  return text;
}

std::string describe_json(const Dataset& data) {
  Json features = Json::array();
  for (const Feature& feature : data.features) features.push_back(feature_json(feature));
  Json json = {{"source", data.source}, {"samples", data.samples()}};
  json["target"] = data.has_target() ? feature_json(data.target) : Json();
  json["features"] = std::move(features);
  json["missing"] = missing_name(data.missing);
  json["health"] = health_json(data.health);
  json["fingerprint"] = data.fingerprint();
  // Names and labels may hold bytes that are not UTF-8; they are replaced rather than refused.
  return json.dump(2, ' ', false, Json::error_handler_t::replace);
}

}  // namespace macmi
