#include "predict/residual_density.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace macmi::predict {
namespace {

constexpr std::size_t cells = 1024;
constexpr double wide_share = 0.01;
constexpr double beyond_doubt = 2;  // standard errors

struct Moments {
  double mean = 0, deviation = 1;
};

Moments moments(const std::vector<double>& values) {
  const auto n = static_cast<double>(values.size());
  const double mean = std::accumulate(values.begin(), values.end(), 0.0) / n;
  double squares = 0;
  for (const double v : values) squares += (v - mean) * (v - mean);
  return {mean, std::sqrt(std::max(squares / n, 1e-300))};
}

/// Student's t with two degrees of freedom: it has a closed form.
double wide_density(double t) {
  return 1 / std::pow(2 + t * t, 1.5);
}

double normal_density(double t) {
  return std::exp(-t * t / 2) / std::sqrt(2 * M_PI);
}

std::vector<double> normal_logs(const std::vector<double>& standard) {
  std::vector<double> logs;
  for (const double t : standard)
    logs.push_back(std::log((1 - wide_share) * normal_density(t) + wide_share * wide_density(t)));
  return logs;
}

/// Kernels of this width on a grid, each residual left out of its own density. The residuals are drawn towards 0 so
/// that the density has variance 1 again.
std::vector<double> kernel_logs(const std::vector<double>& standard, double bandwidth) {
  const double shrink = 1 / std::sqrt(1 + bandwidth * bandwidth), width = bandwidth * shrink;
  constexpr double furthest = 8;
  const double step = 2 * furthest / cells;
  std::vector<double> weight(cells + 1), density(cells + 1);
  const auto place = [&](double t) { return (std::clamp(t, -furthest, furthest) + furthest) / step; };
  for (const double t : standard) {
    const double at = place(t * shrink);
    const auto cell = std::min(static_cast<std::size_t>(at), cells - 1);
    const double part = at - static_cast<double>(cell);
    weight[cell] += 1 - part, weight[cell + 1] += part;
  }
  const auto reach = static_cast<std::ptrdiff_t>(std::ceil(5 * width / step));
  std::vector<double> kernel;
  for (std::ptrdiff_t d = 0; d <= reach; ++d)
    kernel.push_back(normal_density(static_cast<double>(d) * step / width) / width);
  for (std::ptrdiff_t a = 0; a <= static_cast<std::ptrdiff_t>(cells); ++a) {
    const double w = weight[static_cast<std::size_t>(a)];
    if (w == 0) continue;
    const std::ptrdiff_t last = std::min<std::ptrdiff_t>(cells, a + reach);
    for (std::ptrdiff_t b = std::max<std::ptrdiff_t>(0, a - reach); b <= last; ++b)
      density[static_cast<std::size_t>(b)] += w * kernel[static_cast<std::size_t>(std::abs(a - b))];
  }
  const double others = static_cast<double>(standard.size()) - 1;
  std::vector<double> logs;
  for (const double t : standard) {
    // A sample is predicted where it lies, by kernels around the others drawn in.
    const double at = place(t), own = normal_density(t * (1 - shrink) / width) / width;
    const auto cell = std::min(static_cast<std::size_t>(at), cells - 1);
    const double part = at - static_cast<double>(cell);
    const double all = (1 - part) * density[cell] + part * density[cell + 1];
    const double p = std::max(0.0, all - own) / others;
    logs.push_back(std::log((1 - wide_share) * p + wide_share * wide_density(t)));
  }
  return logs;
}

/// True where the first logs are larger beyond doubt.
bool clearly_better(const std::vector<double>& first, const std::vector<double>& second) {
  const auto n = static_cast<double>(first.size());
  double sum = 0, squares = 0;
  for (std::size_t i = 0; i < first.size(); ++i) sum += first[i] - second[i];
  for (std::size_t i = 0; i < first.size(); ++i) squares += std::pow(first[i] - second[i] - sum / n, 2);
  return sum > beyond_doubt * std::sqrt(squares);
}

}  // namespace

std::vector<double> log_densities(const std::vector<double>& residuals) {
  const Moments m = moments(residuals);
  std::vector<double> standard;
  for (const double r : residuals) standard.push_back((r - m.mean) / m.deviation);
  std::vector<double> best = normal_logs(standard), kernel;
  const double rule = 1.06 * std::pow(static_cast<double>(residuals.size()), -0.2);  // Silverman's
  double highest = -INFINITY;
  for (const double factor : {1.0, 0.6, 0.35, 0.2, 0.1}) {
    std::vector<double> logs = kernel_logs(standard, factor * rule);
    const double total = std::accumulate(logs.begin(), logs.end(), 0.0);
    if (!(total > highest)) break;
    highest = total;
    kernel = std::move(logs);
  }
  if (clearly_better(kernel, best)) best = std::move(kernel);
  for (double& log : best) log -= std::log(m.deviation);
  return best;
}

}  // namespace macmi::predict
