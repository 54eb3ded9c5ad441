#include "experiments/bullseye2d_estimates.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <sstream>

#include "base/parallel.hpp"
#include "experiments/simulations/simulated_dataset.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"
#include "macmi/estimate.hpp"

namespace macmi::experiments {
namespace {

constexpr BullseyeEstimator estimators[] = {{"knn-r", "k-NN (R)"},  {"regularised", "regularised"},
                                            {"nominal", "nominal"}, {"mine", "MINE"},
                                            {"genie", "GENIE"},     {"knn", "k-NN"}};

double knn_information(const Variable& x, const Variable& y) {
  EstimateOptions options;
  options.threads = 1;
  return mutual_information(x, y, options);
}

double measure(const std::string& method, const BullseyePoint& p, const std::function<bool()>& keep_going) {
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
  const LearnedMaps maps = learn_maps(data, bullseye2d_maps(method == "regularised" ? 0.1 : 0, p.seed), hooks);
  return knn_information(view(maps.mapped().features[0]), y);
}

std::vector<BullseyeEstimator> chosen(const ReproduceOptions& options) {
  std::vector<BullseyeEstimator> result;
  for (const BullseyeEstimator& e : estimators)
    if (options.methods.empty() || std::count(options.methods.begin(), options.methods.end(), e.word))
      result.push_back(e);
  for (const std::string& word : options.methods)
    if (std::none_of(std::begin(estimators), std::end(estimators),
                     [&](const BullseyeEstimator& e) { return word == e.word; }))
      throw InputError(fmt::format(
          "--methods: bullseye2d has no '{}'; there are knn-r, regularised, nominal, mine, genie, knn", word));
  return result;
}

std::string name(const std::string& method, const BullseyePoint& p) {
  return fmt::format("bullseye2d {} epsilon={} n={} seed={}", method, p.epsilon, p.n, p.seed);
}

}  // namespace

MapsOptions bullseye2d_maps(double lambda, std::uint64_t seed) {
  MapsOptions options;
  options.lambda = lambda;
  options.folds = 1;  // the paper's: learned and measured on the same samples
  options.map_dim = 2;
  options.seed = seed;
  options.threads = 1;
  return options;
}

BullseyeEstimates::BullseyeEstimates(const std::string& directory, const ReproduceOptions& options,
                                     const ProgressCallback& progress, const ExperimentTeam* team)
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
      const std::string& method = cells_[c].first;
      const BullseyePoint& point = cells_[c].second;
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

std::vector<double> BullseyeEstimates::values(const std::string& method, double epsilon, std::size_t n) {
  std::vector<double> all;
  for (std::uint64_t seed = 1; seed <= seeds_; ++seed)
    all.push_back(ledger_.number(name(method, {epsilon, n, seed}), []() -> double { throw Error("not measured"); }));
  return all;
}

void BullseyeEstimates::add(double epsilon, std::size_t n) {
  for (std::uint64_t seed = 1; seed <= seeds_; ++seed)
    for (const BullseyeEstimator& e : methods_) cells_.emplace_back(e.word, BullseyePoint{epsilon, n, seed});
}

std::string measure_bullseye2d(const std::string& measurement, const std::function<bool()>& keep_going) {
  std::istringstream words(measurement);
  std::string method;
  BullseyePoint point{};
  if (!(words >> method >> point.epsilon >> point.n >> point.seed))
    throw Error(fmt::format("'{}' is no measurement of bullseye2d", measurement));
  return fmt::format("{}", measure(method, point, keep_going));
}

}  // namespace macmi::experiments
