#include "experiments/simulations/post_nonlinear.hpp"

#include <array>
#include <cmath>

#include "base/random.hpp"

namespace macmi::experiments {
namespace {

double wave(double v, double phase) {
  return std::sqrt(2.0) * std::cos(1.6 * v + phase);
}
double bend(double v) {
  return v + 0.1 * v * v * v;
}

}  // namespace

SimulatedTable post_nonlinear(std::size_t n, double epsilon, std::uint64_t seed) {
  SimulatedTable table{{"x1", "x2", "x3", "x4", "x5", "x6", "x7", "x8", "y"},
                       {},
                       "the Markov blanket of y is x1, x2 (parents), x3 (child), x4 (co-parent)"};
  table.columns.resize(table.names.size());
  base::RandomStream random(base::StreamKey(seed).with("post-nonlinear"));
  const auto child = [&](double of_parents) { return bend(of_parents + epsilon * random.normal()); };
  for (std::size_t i = 0; i < n; ++i) {
    const double x1 = random.normal(), x2 = random.normal(), x4 = random.normal(), x7 = random.normal();
    const double y = child((wave(x1, 0.4) + wave(x2, 0.8)) / std::sqrt(2.0));
    const double x3 = child((wave(y, 1.2) + wave(x4, 0.4)) / std::sqrt(2.0));
    // Another phase than in y: what x5 keeps of x1 is not what y took of it.
    const double x5 = child(wave(x1, 0.4 + M_PI / 2)), x6 = child(wave(x3, 0.8)), x8 = child(wave(x7, 0.4));
    const std::array<double, 9> row = {x1, x2, x3, x4, x5, x6, x7, x8, y};
    for (std::size_t c = 0; c < row.size(); ++c) table.columns[c].push_back(row[c]);
  }
  return table;
}

}  // namespace macmi::experiments
