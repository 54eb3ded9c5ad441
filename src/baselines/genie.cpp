#include <algorithm>
#include <cmath>
#include <cstdint>

#include "base/parallel.hpp"
#include "baselines/ensemble_weights.hpp"
#include "baselines/points.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"

namespace macmi::baselines {
namespace {

constexpr std::size_t least_samples = 20;
/// Of the bias expansion: 3^orders systems are solved, and higher terms vanish faster than the noise.
constexpr std::size_t most_orders = 5;

double largest_difference(const Points& points, std::size_t i, std::size_t j) {
  double largest = 0;
  for (std::size_t c = 0; c < points.d; ++c) largest = std::max(largest, std::abs(points.row(i)[c] - points.row(j)[c]));
  return largest;
}

/// The half-width at which every sample has another within its box in x and y.
double smallest_half_width(const Points& x, const Points& y, std::size_t threads) {
  std::vector<double> nearest(x.n);
  base::parallel_for(x.n, 16, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      double least = INFINITY;
      for (std::size_t j = 0; j < x.n; ++j)
        if (j != i) least = std::min(least, std::max(largest_difference(x, i, j), largest_difference(y, i, j)));
      nearest[i] = least;
    }
  });
  return *std::max_element(nearest.begin(), nearest.end());
}

/// For every bandwidth the plug-in estimate (1/n) Σ_i log(f_xy / (f_x f_y)) at sample i, densities from the other
/// samples. Box kernels: the volumes cancel, and counts remain.
std::vector<double> plug_in_estimates(const Points& x, const Points& y, const std::vector<double>& half_widths,
                                      std::size_t threads) {
  const std::size_t widths = half_widths.size(), n = x.n;
  std::vector<double> terms(n * widths);
  base::parallel_for(n, 16, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      // How many samples enter the box at each bandwidth, in x, in y, in both.
      std::vector<std::uint32_t> in_x(widths + 1), in_y(widths + 1), in_both(widths + 1);
      const auto first = [&](double distance) {
        return static_cast<std::size_t>(std::lower_bound(half_widths.begin(), half_widths.end(), distance) -
                                        half_widths.begin());
      };
      for (std::size_t j = 0; j < n; ++j) {
        if (j == i) continue;
        const std::size_t at_x = first(largest_difference(x, i, j)), at_y = first(largest_difference(y, i, j));
        ++in_x[at_x], ++in_y[at_y], ++in_both[std::max(at_x, at_y)];
      }
      double nx = 0, ny = 0, nxy = 0;
      for (std::size_t l = 0; l < widths; ++l) {
        nx += in_x[l], ny += in_y[l], nxy += in_both[l];
        terms[l * n + i] = std::log(nxy * static_cast<double>(n - 1) / (nx * ny));
      }
    }
  });
  std::vector<double> estimates(widths);
  for (std::size_t l = 0; l < widths; ++l) {
    for (std::size_t i = 0; i < n; ++i) estimates[l] += terms[l * n + i];
    estimates[l] /= static_cast<double>(n);
  }
  return estimates;
}

}  // namespace
}  // namespace macmi::baselines

namespace macmi {

double genie(const Variable& x, const Variable& y, const GenieOptions& options) {
  baselines::check_samples("genie", x, y, {}, {}, baselines::least_samples);
  if (options.bandwidths < 2 || !(options.range > 1))
    throw InputError("GENIE needs at least two bandwidths, and a range above 1");
  const baselines::Points xs = baselines::standardised_points(x), ys = baselines::standardised_points(y);
  if (xs.d == 0 || ys.d == 0) return 0;
  const std::size_t dimensions = xs.d + ys.d;
  const double smallest = baselines::smallest_half_width(xs, ys, options.threads);
  if (!(smallest > 0)) throw InputError("GENIE needs continuous samples: here every sample has an exact copy");
  std::vector<double> half_widths, factors;
  const double rate = std::pow(static_cast<double>(xs.n), 1 / (2 * static_cast<double>(dimensions)));
  for (std::size_t l = 0; l < options.bandwidths; ++l) {
    half_widths.push_back(
        smallest * (1 + (options.range - 1) * static_cast<double>(l) / static_cast<double>(options.bandwidths - 1)));
    factors.push_back(half_widths.back() * rate);
  }
  const std::vector<double> estimates = baselines::plug_in_estimates(xs, ys, half_widths, options.threads);
  const std::vector<double> weights = baselines::ensemble_weights(factors, std::min(dimensions, baselines::most_orders),
                                                                  dimensions, xs.n, options.weight_limit);
  double value = 0;
  for (std::size_t l = 0; l < weights.size(); ++l) value += weights[l] * estimates[l];
  return value;
}

}  // namespace macmi
