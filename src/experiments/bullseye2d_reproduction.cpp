// Section 5.1 of the paper: estimators of I(X; Y) on the 2-D bullseye, as tables and figures.
#include <fmt/format.h>

#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>

#include "experiments/bullseye2d_estimates.hpp"
#include "experiments/reproduction.hpp"
#include "experiments/simulations/simulated_dataset.hpp"

namespace macmi::experiments {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t samples_shown = 500;

struct Summary {
  double mean = 0, sd = 0;
};
Summary summarise(const std::vector<double>& values) {
  Summary s;
  const auto count = static_cast<double>(values.size());
  s.mean = std::accumulate(values.begin(), values.end(), 0.0) / count;
  for (const double v : values) s.sd += (v - s.mean) * (v - s.mean);
  s.sd = values.size() > 1 ? std::sqrt(s.sd / (count - 1)) : 0;
  return s;
}

std::string data_sets(std::uint64_t count) {
  return fmt::format("{} data set{}", count, count == 1 ? "" : "s");
}

/// A table over one axis and the figure of the same numbers.
struct Axis {
  const char *name, *column, *title;
  std::vector<std::pair<double, std::size_t>> points;  ///< ε, n
  bool over_n;
};

ResultTable table_of(BullseyeEstimates& experiment, const Axis& axis) {
  ResultTable table{axis.name, axis.title, {axis.column, "truth"}, {}, true};
  for (const BullseyeEstimator& e : experiment.methods()) table.columns.emplace_back(e.label);
  for (const auto& [epsilon, n] : axis.points) {
    std::vector<std::string> row = {axis.over_n ? fmt::format("{}", n) : fmt::format("{}", epsilon),
                                    fmt::format("{:.3f}", bullseye2d_information(epsilon))};
    for (const BullseyeEstimator& e : experiment.methods()) {
      const Summary s = summarise(experiment.values(e.word, epsilon, n));
      row.push_back(experiment.seeds() > 1 ? fmt::format("{:.3f} ± {:.3f}", s.mean, s.sd)
                                           : fmt::format("{:.3f}", s.mean));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ordered_json figure_of(BullseyeEstimates& experiment, const Axis& axis) {
  ordered_json figure = {
      {"type", "lines"},
      {"file", axis.name},
      {"title", axis.title},
      {"x", axis.over_n ? "Samples" : "Noise ε"},
      {"y", "I(X; Y), nats"},
      {"log_x", axis.over_n},
      {"note", fmt::format("Means of {}; bars: one standard deviation between data sets. Dashed: the truth, ε − ln ε.",
                           data_sets(experiment.seeds()))}};
  figure["truth"] = ordered_json::array();
  figure["series"] = ordered_json::array();
  const auto at = [&](double epsilon, std::size_t n) { return axis.over_n ? static_cast<double>(n) : epsilon; };
  for (const auto& [epsilon, n] : axis.points)
    figure["truth"].push_back({at(epsilon, n), bullseye2d_information(epsilon)});
  for (const BullseyeEstimator& e : experiment.methods()) {
    ordered_json series = {{"label", e.label}, {"points", ordered_json::array()}};
    for (const auto& [epsilon, n] : axis.points) {
      const Summary s = summarise(experiment.values(e.word, epsilon, n));
      series["points"].push_back({at(epsilon, n), s.mean, s.mean - s.sd, s.mean + s.sd});
    }
    figure["series"].push_back(std::move(series));
  }
  return figure;
}

ResultTable all_values(BullseyeEstimates& experiment) {
  ResultTable table{"estimates", "Every estimate", {"epsilon", "n", "seed", "method", "truth", "estimate"}, {}, false};
  const auto add = [&](double epsilon, std::size_t n) {
    for (const BullseyeEstimator& e : experiment.methods()) {
      const std::vector<double> values = experiment.values(e.word, epsilon, n);
      for (std::size_t s = 0; s < values.size(); ++s)
        table.rows.push_back({fmt::format("{}", epsilon), fmt::format("{}", n), fmt::format("{}", s + 1), e.word,
                              fmt::format("{}", bullseye2d_information(epsilon)), fmt::format("{}", values[s])});
    }
  };
  for (const double epsilon : experiment.epsilons()) add(epsilon, usual_n);
  for (const std::size_t n : experiment.sizes())
    if (n != usual_n) add(usual_epsilon, n);
  return table;
}

ordered_json scatter(const char* file, const std::string& title, const char* x_label, const char* y_label,
                     const std::vector<double>& x, const std::vector<double>& y, const std::vector<double>& value,
                     const std::string& note) {
  return {{"type", "scatter"},  {"file", file}, {"title", title}, {"x_label", x_label},
          {"y_label", y_label}, {"x", x},       {"y", y},         {"value", value},
          {"value_label", "Y"}, {"note", note}};
}

std::vector<double> first_samples(const DataColumn& column) {
  return {column.values.begin(), column.values.begin() + samples_shown};
}

ordered_json samples_picture(const Dataset& data) {
  const std::vector<DataColumn>& columns = data.features[0].columns;
  ordered_json figure =
      scatter("samples", "X lies on two rings; Y depends on the distance from the centre alone",
              "First coordinate of X", "Second coordinate of X", first_samples(columns[0]), first_samples(columns[1]),
              first_samples(data.target.columns[0]),
              fmt::format("{} of {} samples, ε = {}, coloured by Y.", samples_shown, usual_n, usual_epsilon));
  figure["square"] = true;
  return figure;
}

ordered_json map_figure(const Dataset& data, bool regularised) {
  const LearnedMaps maps = learn_maps(data, bullseye2d_maps(regularised ? 0.1 : 0, 1));
  const std::vector<DataColumn>& columns = maps.mapped().features[0].columns;
  ordered_json figure = scatter(
      regularised ? "map-regularised" : "map-nominal",
      regularised ? "The map learned with the regulariser (λ = 0.1): one line, ordered by Y"
                  : "The map learned without the regulariser (λ = 0)",
      "Map, first coordinate", "Map, second coordinate", first_samples(columns[0]), first_samples(columns[1]),
      first_samples(data.target.columns[0]),
      "The ground is the mean of Y that the surrogate expects there; points: the same samples, coloured by their Y.");
  if (const auto s = maps.surfaces({0}).front())
    figure["surface"] = {{"x", {s->x_low, s->x_high}},
                         {"y", {s->y_low, s->y_high}},
                         {"columns", s->columns},
                         {"rows", s->rows},
                         {"mean", s->mean}};
  return figure;
}

/// 500 samples of X, and where the maps send them.
void add_pictures(ordered_json& figures, BullseyeEstimates& experiment) {
  const Dataset data = as_dataset(bullseye2d(usual_n, usual_epsilon, 1), 2);
  figures.push_back(samples_picture(data));
  for (const BullseyeEstimator& e : experiment.methods()) {
    const bool regularised = std::string(e.word) == "regularised";
    if (!regularised && std::string(e.word) != "nominal") continue;
    figures.push_back(ordered_json::parse(experiment.ledger().value(
        fmt::format("bullseye2d picture {}", e.word), [&] { return map_figure(data, regularised).dump(); })));
  }
}

}  // namespace

Reproduction reproduce_bullseye2d(const std::string& directory, const ReproduceOptions& options,
                                  const ProgressCallback& progress, const ExperimentTeam* team) {
  BullseyeEstimates experiment(directory, options, progress, team);
  Axis noise{"information-against-noise", "ε", "Information against noise, n = 2000", {}, false};
  for (const double epsilon : experiment.epsilons()) noise.points.emplace_back(epsilon, usual_n);
  Axis size{"information-against-samples", "n", "Information against the number of samples, ε = 0.3", {}, true};
  for (const std::size_t n : experiment.sizes()) size.points.emplace_back(usual_epsilon, n);

  Reproduction result;
  result.name = "bullseye2d";
  const double truth = bullseye2d_information(usual_epsilon);
  std::vector<std::string> errors;
  for (const BullseyeEstimator& e : experiment.methods())
    errors.push_back(fmt::format("{} {:.3f}", e.label,
                                 std::abs(summarise(experiment.values(e.word, usual_epsilon, usual_n)).mean - truth)));
  result.answer = "How close do estimators come to the information between a point on two rings and its noisy radius?";
  result.consequence = fmt::format("Distance of the mean from the truth ({:.3f} nats) at ε = {}, n = {}: {}.", truth,
                                   usual_epsilon, usual_n, fmt::join(errors, ", "));
  result.facts = {"Section 5.1: the 2-D bullseye", fmt::format("{} per point", data_sets(experiment.seeds())),
                  "maps of two numbers, k = 5"};
  result.tables = {table_of(experiment, noise), table_of(experiment, size), all_values(experiment)};
  ordered_json figures = ordered_json::array();
  figures.push_back(figure_of(experiment, noise));
  figures.push_back(figure_of(experiment, size));
  add_pictures(figures, experiment);
  result.figures = figures.dump();
  return result;
}

}  // namespace macmi::experiments
