#include "experiments/simulations/parity.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>

#include "base/random.hpp"
#include "macmi/error.hpp"

namespace macmi::experiments {

SimulatedTable parity_cube(std::size_t features, std::size_t n, double epsilon, std::uint64_t seed) {
  if (features < parity_informative)
    throw InputError(fmt::format("parity has {} features that are no noise: --p must be at least {}",
                                 parity_informative, parity_informative));
  SimulatedTable table;
  for (std::size_t f = 1; f <= features; ++f) table.names.push_back(fmt::format("x{}", f));
  table.names.push_back("y");
  table.truth =
      "y is the parity of the signs of x1 to x5, its parents; x6 to x10 are noisy copies of them, x11 to x20 linear "
      "combinations";
  table.columns.resize(features + 1);
  table.labels.resize(features + 1);
  table.labels.back() = {"even", "odd"};
  base::RandomStream random(base::StreamKey(seed).with("parity cube"));
  std::array<std::array<double, parity_bits>, 2 * parity_bits> weights{};
  for (auto& of_combination : weights) {
    double length = 0;
    for (double& w : of_combination) w = random.normal(), length += w * w;
    for (double& w : of_combination) w /= std::sqrt(length);
  }
  for (std::size_t i = 0; i < n; ++i) {
    std::array<double, parity_bits> x{};
    std::uint64_t odd = 0;
    for (double& coordinate : x) {
      const std::uint64_t bit = random.below(2);
      odd ^= bit;
      coordinate = (bit ? 1 : -1) + epsilon * random.normal();
    }
    for (std::size_t f = 0; f < features; ++f) {
      double value = 0;
      if (f < parity_bits) {
        value = x[f];
      } else if (f < 2 * parity_bits) {
        value = x[f - parity_bits] + epsilon * random.normal();
      } else if (f < parity_informative) {
        for (std::size_t b = 0; b < parity_bits; ++b) value += weights[f - 2 * parity_bits][b] * x[b];
      } else {
        value = random.normal();
      }
      table.columns[f].push_back(value);
    }
    table.columns[features].push_back(static_cast<double>(odd));
  }
  return table;
}

}  // namespace macmi::experiments
