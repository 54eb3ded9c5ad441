#include "citest/engines/tables/pooled_trace.hpp"

#include <cmath>

namespace macmi::citest {
namespace {

/// Below this share of its sum of squares what is left of a column is rounding.
constexpr double nothing_left = 1e-12;

/// The samples of a stratum in one column.
struct ColumnSamples {
  std::size_t column;
  double samples;
};

/// Of the levels with a column of their own: a stratum may have thousands without.
std::vector<ColumnSamples> in_columns(std::span<const StratifiedTable::Level> levels, const LevelColumns& columns) {
  std::vector<ColumnSamples> result;
  for (const auto& level : levels)
    if (const std::size_t c = columns.column[level.code]; c < columns.count)
      result.push_back({c, static_cast<double>(level.samples)});
  return result;
}

/// Adds a bᵀ / total.
void add_products(const std::vector<ColumnSamples>& a, const std::vector<ColumnSamples>& b, double total,
                  std::size_t width, std::vector<double>& sum) {
  for (const auto& [i, m] : a)
    for (const auto& [j, k] : b) sum[i * width + j] += m * k / total;
}

/// W with W C Wᵀ = 1 on the rank of C: the inverse of Cholesky's factor, row by row by Gram and Schmidt.
std::vector<double> inverse_root(const std::vector<double>& c, std::size_t p) {
  std::vector<double> w(p * p), image(p * p);  // image: W C
  for (std::size_t i = 0; i < p; ++i) {
    double* row = w.data() + i * p;
    row[i] = 1;
    for (std::size_t k = 0; k < i; ++k) {
      const double shared = image[k * p + i];
      for (std::size_t j = 0; j <= k; ++j) row[j] -= shared * w[k * p + j];
    }
    double length = 0;
    for (std::size_t j = 0; j < p; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= i; ++k) sum += row[k] * c[k * p + j];
      image[i * p + j] = sum;
    }
    for (std::size_t j = 0; j <= i; ++j) length += image[i * p + j] * row[j];
    const double scale = length > nothing_left * c[i * p + i] ? 1 / std::sqrt(length) : 0;
    for (std::size_t j = 0; j < p; ++j) row[j] *= scale, image[i * p + j] *= scale;
  }
  return w;
}

}  // namespace

PooledTrace::PooledTrace(const StratifiedTable& table, LevelColumns x, LevelColumns y)
    : x_(std::move(x)), y_(std::move(y)), expected_(x_.count * y_.count) {
  const std::size_t p = x_.count, q = y_.count;
  std::vector<double> xx(p * p), yy(q * q);  // sums of products within strata: diag(m) - m mᵀ / samples
  for (const auto& stratum : table.strata()) {
    const std::vector<ColumnSamples> x_here = in_columns(stratum.rows, x_), y_here = in_columns(stratum.columns, y_);
    const auto total = static_cast<double>(stratum.samples);
    add_products(x_here, y_here, total, q, expected_);
    add_products(x_here, x_here, -total, p, xx);
    add_products(y_here, y_here, -total, q, yy);
    for (const auto& [i, m] : x_here) xx[i * p + i] += m;
    for (const auto& [j, m] : y_here) yy[j * q + j] += m;
  }
  x_root_ = inverse_root(xx, p);
  y_root_ = inverse_root(yy, q);
}

double PooledTrace::of(std::span<const std::uint32_t> pooled) const {
  const std::size_t p = x_.count, q = y_.count;
  std::vector<double> excess(p * q);
  for (std::size_t i = 0; i < p; ++i)
    for (std::size_t j = 0; j < q; ++j)
      excess[i * q + j] = static_cast<double>(pooled[i * (q + 1) + j]) - expected_[i * q + j];
  double trace = 0;
  std::vector<double> row(q);
  for (std::size_t i = 0; i < p; ++i) {
    std::fill(row.begin(), row.end(), 0.0);
    for (std::size_t k = 0; k <= i; ++k)
      for (std::size_t j = 0; j < q; ++j) row[j] += x_root_[i * p + k] * excess[k * q + j];
    for (std::size_t j = 0; j < q; ++j) {
      double sum = 0;
      for (std::size_t k = 0; k <= j; ++k) sum += row[k] * y_root_[j * q + k];
      trace += sum * sum;
    }
  }
  return trace;
}

double PooledTrace::signed_correlation(std::span<const std::uint32_t> pooled) const {
  if (expected_.empty()) return 0;
  return x_root_[0] * y_root_[0] * (static_cast<double>(pooled[0]) - expected_[0]);
}

}  // namespace macmi::citest
