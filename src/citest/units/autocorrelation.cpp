#include "citest/units/autocorrelation.hpp"

#include <algorithm>
#include <cmath>

#include "citest/remainders/remainders.hpp"
#include "citest/units/freed_columns.hpp"

namespace macmi::citest {
namespace {

using Eigen::Index;

constexpr double chance = 2;  // standard errors
constexpr std::size_t least_stretches = 8;

/// 1 + 2 Σ_k ρ(k)² of a column of mean 0 within units.
double time_of(const double* column, const RowUnits& units, std::size_t most) {
  double variance = 0, time = 1;
  for (std::size_t i = 0; i < units.samples(); ++i) variance += column[i] * column[i];
  if (!(variance > 0)) return 1;
  for (std::size_t k = 1; k <= most; ++k) {
    double sum = 0;
    for (const auto& own : units.rows)
      for (std::size_t j = k; j < own.size(); ++j) sum += column[own[j]] * column[own[j - k]];
    const double rho = sum / variance;
    if (rho * rho * static_cast<double>(units.samples()) < chance * chance) break;
    time += 2 * rho * rho;
  }
  return time;
}

}  // namespace

std::size_t stretch_of(const Variable& x, const Variable& y, const RowUnits& units) {
  const std::size_t most = std::max<std::size_t>(1, units.largest() / least_stretches);
  double time = 1;
  for (const Variable* v : {&x, &y}) {
    Eigen::MatrixXd columns = Regressed(*v).columns;
    centre_within(units, columns);
    for (Index c = 0; c < columns.cols(); ++c) time = std::max(time, time_of(columns.col(c).data(), units, most));
  }
  return std::clamp<std::size_t>(static_cast<std::size_t>(std::ceil(2 * time)), 1, most);
}

}  // namespace macmi::citest
