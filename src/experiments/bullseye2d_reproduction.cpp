// Section 5.1 of the paper: estimators of I(X; Y) on the 2-D bullseye.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>
#include <numeric>
#include <sstream>

#include "base/parallel.hpp"
#include "experiments/reproduction.hpp"
#include "experiments/simulations/simulated_dataset.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"
#include "macmi/estimate.hpp"
#include "macmi/maps.hpp"
#include "run/ledger.hpp"

namespace macmi::experiments {
namespace {

using nlohmann::ordered_json;

constexpr std::size_t usual_n = 2000, samples_shown = 500;
constexpr double usual_epsilon = 0.3;

struct Estimator {
  const char* word;   ///< of --methods
  const char* label;  ///< in tables and figures
};
constexpr Estimator estimators[] = {{"knn-r", "k-NN (R)"},  {"regularised", "regularised"},
                                    {"nominal", "nominal"}, {"mine", "MINE"},
                                    {"genie", "GENIE"},     {"knn", "k-NN"}};

/// One data set.
struct Point {
  double epsilon;
  std::size_t n;
  std::uint64_t seed;
};

double knn_information(const Variable& x, const Variable& y) {
  EstimateOptions options;
  options.threads = 1;
  return mutual_information(x, y, options);
}

MapsOptions maps_of(double lambda, std::uint64_t seed) {
  MapsOptions options;
  options.lambda = lambda;
  options.folds = 1;  // the paper's: learned and measured on the same samples
  options.map_dim = 2;
  options.seed = seed;
  options.threads = 1;
  return options;
}

double measure(const std::string& method, const Point& p, const std::function<bool()>& keep_going) {
  const Dataset data = as_dataset(bullseye2d(p.n, p.epsilon, p.seed), 2);
  const Variable x = view(data.features[0]), y = view(data.target);
  if (method == "knn") return knn_information(x, y);
  if (method == "knn-r") {
    std::vector<double> radius(p.n);
    for (std::size_t i = 0; i < p.n; ++i)
      radius[i] = std::hypot(data.features[0].columns[0].values[i], data.features[0].columns[1].values[i]);
    return knn_information(radius, y);
  }
  if (method == "genie") {
    GenieOptions options;
    options.threads = 1;
    return genie(x, y, options);
  }
  if (method == "mine") {
    MineOptions options;
    options.seed = p.seed;
    return mine(x, y, options, keep_going);
  }
  MapsHooks hooks;
  hooks.on_progress = [&](const MapsProgress&) { return keep_going(); };
  const LearnedMaps maps = learn_maps(data, maps_of(method == "regularised" ? 0.1 : 0, p.seed), hooks);
  return knn_information(view(maps.mapped().features[0]), y);
}

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

std::vector<Estimator> chosen(const ReproduceOptions& options) {
  std::vector<Estimator> result;
  for (const Estimator& e : estimators)
    if (options.methods.empty() || std::count(options.methods.begin(), options.methods.end(), e.word))
      result.push_back(e);
  for (const std::string& word : options.methods)
    if (std::none_of(std::begin(estimators), std::end(estimators), [&](const Estimator& e) { return word == e.word; }))
      throw InputError(fmt::format(
          "--methods: bullseye2d has no '{}'; there are knn-r, regularised, nominal, mine, genie, knn", word));
  return result;
}

/// Everything that is measured, and how to ask for it again.
class Experiment {
 public:
  Experiment(const std::string& directory, const ReproduceOptions& options, const ProgressCallback& progress,
             const ExperimentTeam* team)
      : ledger_(directory),
        seeds_(options.seeds   ? options.seeds
               : options.quick ? 2
                               : 10),
        methods_(chosen(options)) {
    epsilons_ = {0.1, 0.2, 0.3, 0.4, 0.5};
    sizes_ = options.quick ? std::vector<std::size_t>{250, 500, 1000, 2000}
                           : std::vector<std::size_t>{250, 500, 1000, 2000, 4000, 8000};
    for (const double epsilon : epsilons_) add(epsilon, usual_n);
    for (const std::size_t n : sizes_)
      if (n != usual_n) add(usual_epsilon, n);
    run::Watch watch(progress, "estimates", cells_.size());
    const auto keep_going = [&] { return watch.keep_going(); };
    base::parallel_for(cells_.size(), 1, team ? team->size : options.threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t c = begin; c < end; ++c) {
        const auto& [method, point] = cells_[c];
        const bool stored = ledger_.find(name(method, point)).has_value();
        watch.begin("mutual information",
                    fmt::format("{}, ε = {}, n = {}, seed {}", method, point.epsilon, point.n, point.seed));
        ledger_.value(name(method, point), [&] {
          const std::string measurement = fmt::format("{} {} {} {}", method, point.epsilon, point.n, point.seed);
          const auto here = [&] { return measure_bullseye2d(measurement, keep_going); };
          return team ? team->measure(measurement, here) : here();
        });
        watch.done(stored);
      }
    });
  }

  std::vector<double> values(const std::string& method, double epsilon, std::size_t n) {
    std::vector<double> all;
    for (std::uint64_t seed = 1; seed <= seeds_; ++seed)
      all.push_back(ledger_.number(name(method, {epsilon, n, seed}), []() -> double { throw Error("not measured"); }));
    return all;
  }
  run::Ledger& ledger() { return ledger_; }
  std::uint64_t seeds() const { return seeds_; }
  const std::vector<Estimator>& methods() const { return methods_; }
  const std::vector<double>& epsilons() const { return epsilons_; }
  const std::vector<std::size_t>& sizes() const { return sizes_; }

 private:
  static std::string name(const std::string& method, const Point& p) {
    return fmt::format("bullseye2d {} epsilon={} n={} seed={}", method, p.epsilon, p.n, p.seed);
  }
  void add(double epsilon, std::size_t n) {
    for (std::uint64_t seed = 1; seed <= seeds_; ++seed)
      for (const Estimator& e : methods_) cells_.emplace_back(e.word, Point{epsilon, n, seed});
  }

  run::Ledger ledger_;
  std::uint64_t seeds_;
  std::vector<Estimator> methods_;
  std::vector<double> epsilons_;
  std::vector<std::size_t> sizes_;
  std::vector<std::pair<std::string, Point>> cells_;
};

std::string data_sets(std::uint64_t count) {
  return fmt::format("{} data set{}", count, count == 1 ? "" : "s");
}

/// A table over one axis and the figure of the same numbers.
struct Axis {
  const char *name, *column, *title;
  std::vector<std::pair<double, std::size_t>> points;  ///< ε, n
  bool over_n;
};

ResultTable table_of(Experiment& experiment, const Axis& axis) {
  ResultTable table{axis.name, axis.title, {axis.column, "truth"}, {}, true};
  for (const Estimator& e : experiment.methods()) table.columns.emplace_back(e.label);
  for (const auto& [epsilon, n] : axis.points) {
    std::vector<std::string> row = {axis.over_n ? fmt::format("{}", n) : fmt::format("{}", epsilon),
                                    fmt::format("{:.3f}", bullseye2d_information(epsilon))};
    for (const Estimator& e : experiment.methods()) {
      const Summary s = summarise(experiment.values(e.word, epsilon, n));
      row.push_back(experiment.seeds() > 1 ? fmt::format("{:.3f} ± {:.3f}", s.mean, s.sd)
                                           : fmt::format("{:.3f}", s.mean));
    }
    table.rows.push_back(std::move(row));
  }
  return table;
}

ordered_json figure_of(Experiment& experiment, const Axis& axis) {
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
  for (const Estimator& e : experiment.methods()) {
    ordered_json series = {{"label", e.label}, {"points", ordered_json::array()}};
    for (const auto& [epsilon, n] : axis.points) {
      const Summary s = summarise(experiment.values(e.word, epsilon, n));
      series["points"].push_back({at(epsilon, n), s.mean, s.mean - s.sd, s.mean + s.sd});
    }
    figure["series"].push_back(std::move(series));
  }
  return figure;
}

ResultTable all_values(Experiment& experiment) {
  ResultTable table{"estimates", "Every estimate", {"epsilon", "n", "seed", "method", "truth", "estimate"}, {}, false};
  const auto add = [&](double epsilon, std::size_t n) {
    for (const Estimator& e : experiment.methods()) {
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
  const LearnedMaps maps = learn_maps(data, maps_of(regularised ? 0.1 : 0, 1));
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
void add_pictures(ordered_json& figures, Experiment& experiment) {
  const Dataset data = as_dataset(bullseye2d(usual_n, usual_epsilon, 1), 2);
  figures.push_back(samples_picture(data));
  for (const Estimator& e : experiment.methods()) {
    const bool regularised = std::string(e.word) == "regularised";
    if (!regularised && std::string(e.word) != "nominal") continue;
    figures.push_back(ordered_json::parse(experiment.ledger().value(
        fmt::format("bullseye2d picture {}", e.word), [&] { return map_figure(data, regularised).dump(); })));
  }
}

}  // namespace

std::string measure_bullseye2d(const std::string& measurement, const std::function<bool()>& keep_going) {
  std::istringstream words(measurement);
  std::string method;
  Point point{};
  if (!(words >> method >> point.epsilon >> point.n >> point.seed))
    throw Error(fmt::format("'{}' is no measurement of bullseye2d", measurement));
  return fmt::format("{}", measure(method, point, keep_going));
}

Reproduction reproduce_bullseye2d(const std::string& directory, const ReproduceOptions& options,
                                  const ProgressCallback& progress, const ExperimentTeam* team) {
  Experiment experiment(directory, options, progress, team);
  Axis noise{"information-against-noise", "ε", "Information against noise, n = 2000", {}, false};
  for (const double epsilon : experiment.epsilons()) noise.points.emplace_back(epsilon, usual_n);
  Axis size{"information-against-samples", "n", "Information against the number of samples, ε = 0.3", {}, true};
  for (const std::size_t n : experiment.sizes()) size.points.emplace_back(usual_epsilon, n);

  Reproduction result;
  result.name = "bullseye2d";
  const double truth = bullseye2d_information(usual_epsilon);
  std::vector<std::string> errors;
  for (const Estimator& e : experiment.methods())
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
