// What `macmi select` forecasts of its tests and its time, at every stage, against what it takes.
//   study_forecast OUT_DIRECTORY
// Five data sets of different shape. Times are wall times, so that the machine must have nothing else to do.
#include <fmt/format.h>

#include <chrono>
#include <cmath>
#include <cstdlib>
#include <fstream>

#include "experiments/simulations/network.hpp"
#include "experiments/simulations/simulated_dataset.hpp"
#include "macmi/select.hpp"

namespace macmi::study {
namespace {

/// A forecast that is right within this factor is good enough to plan by.
constexpr double factor = 3;

struct Shape {
  const char* name;
  experiments::NetworkOptions network;
};
const std::vector<Shape> shapes = {
    {"few features, few samples",
     {.features = 20, .samples = 300, .family = experiments::NetworkFamily::linear, .seed = 301}},
    {"few features, many samples",
     {.features = 30, .samples = 5000, .family = experiments::NetworkFamily::additive, .seed = 302}},
    {"curves", {.features = 200, .samples = 1000, .family = experiments::NetworkFamily::mlp, .seed = 303}},
    {"numbers, counts and classes",
     {.features = 100, .samples = 1000, .family = experiments::NetworkFamily::mixed, .seed = 304}},
    {"more features than samples",
     {.features = 1000, .samples = 500, .family = experiments::NetworkFamily::linear, .seed = 305}}};

struct Forecast {
  std::string stage;
  double tests = 0, seconds = 0;  ///< of the whole search
};

bool near(double forecast, double truth) {
  return std::isnan(forecast) || (forecast <= factor * truth && truth <= factor * forecast);
}

int run(const std::string& out) {
  std::string page =
      "# Forecasts\n\nTests and seconds of the whole search that `macmi select` expects when each stage begins, and "
      "what "
      "it took. Simulated\nnetworks (`macmi simulate network`), default options, all threads. The first seconds are "
      "forecast after the first tests.\nWritten by `make study` (study/forecast.cpp), which asserts that forecasts "
      "from "
      "the first level on are right within a\nfactor of 3.\n\n"
      "| data | p | n | when | tests forecast | tests | seconds forecast | seconds "
      "|\n|---|---|---|---|---|---|---|---|\n";
  bool good = true;
  for (const Shape& shape : shapes) {
    const Dataset data = experiments::as_dataset(experiments::simulate_network(shape.network).table, 1);
    SelectOptions options;
    options.no_evidence = true;
    std::vector<Forecast> forecasts;
    const auto start = std::chrono::steady_clock::now();
    const auto seconds = [&] {
      return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
    };
    SearchHooks hooks;
    hooks.on_progress = [&](const SearchProgress& now) {
      if (forecasts.empty() || forecasts.back().stage != now.stage)
        forecasts.push_back({now.stage, static_cast<double>(now.expected), seconds() + now.seconds_left});
      return true;
    };
    const Selection selection = select_features(data, options, hooks);
    const double took = seconds(), tests = static_cast<double>(selection.blanket.tests);
    for (const Forecast& f : forecasts) {
      page += fmt::format("| {} | {} | {} | {} | {:.0f} | {:.0f} | {} | {:.1f} |\n", shape.name, shape.network.features,
                          shape.network.samples, f.stage, f.tests, tests,
                          std::isnan(f.seconds) ? "" : fmt::format("{:.1f}", f.seconds), took);
      const bool holds = near(f.tests, tests) && (took < 1 || near(f.seconds, took));
      if (!holds) fmt::print("FAILS: {}, {}: {:.0f} tests, {:.1f} s\n", shape.name, f.stage, f.tests, f.seconds);
      good &= holds || f.stage == "marginal screen";
    }
    std::ofstream(out + "/forecast.md") << page;
  }
  return good ? 0 : 1;
}

}  // namespace
}  // namespace macmi::study

int main(int argc, char** argv) {
  if (argc < 2) {
    fmt::print(stderr, "usage: {} OUT_DIRECTORY\n", argv[0]);
    return 2;
  }
  return macmi::study::run(argv[1]);
}
