// The scan over pairs as its definition says it.
#include <algorithm>
#include <cmath>

#include "interactions/pair_scan.hpp"

namespace macmi::interactions {
namespace {

/// n [I(A,B; Y) - I(A; Y) - I(B; Y)] = Σ c(n_aby) - Σ c(n_ab) - Σ c(n_ay) + Σ c(n_a) - Σ c(n_by) + Σ c(n_b)
/// + Σ c(n_y) - c(n) with c(m) = m ln m, of counts[a][b][y].
template <std::size_t levels>
std::int32_t interaction(const std::size_t (&counts)[levels][levels][levels], const LogTable& table) {
  std::size_t ab[levels][levels] = {}, ay[levels][levels] = {}, by[levels][levels] = {};
  std::size_t of_a[levels] = {}, of_b[levels] = {}, of_y[levels] = {}, all = 0;
  std::uint32_t sum = 0;
  for (std::size_t a = 0; a < levels; ++a)
    for (std::size_t b = 0; b < levels; ++b)
      for (std::size_t y = 0; y < levels; ++y) {
        const std::size_t m = counts[a][b][y];
        ab[a][b] += m, ay[a][y] += m, by[b][y] += m, of_a[a] += m, of_b[b] += m, of_y[y] += m, all += m;
        sum += table[m];
      }
  for (std::size_t i = 0; i < levels; ++i) {
    for (std::size_t j = 0; j < levels; ++j) sum -= table[ab[i][j]] + table[ay[i][j]] + table[by[i][j]];
    sum += table[of_a[i]] + table[of_b[i]] + table[of_y[i]];
  }
  return static_cast<std::int32_t>(sum - table[all]);
}

}  // namespace

LogTable::LogTable(std::size_t n) : values_(n + 1) {
  bits_ = 30 - static_cast<int>(std::ceil(std::log2(1.5 * static_cast<double>(n) + 1)));
  for (std::size_t m = 1; m <= n; ++m) {
    const double value = static_cast<double>(m) * std::log(static_cast<double>(m));
    values_[m] = static_cast<std::int32_t>(static_cast<std::uint32_t>(std::llround(std::ldexp(value, bits_))));
  }
}

double LogTable::to_nats(std::int32_t sum) const {
  return std::ldexp(static_cast<double>(sum), -bits_);
}
std::int32_t LogTable::from_nats(double nats) const {
  const double sum = std::ceil(std::ldexp(nats, bits_)), limit = 2147483647.0;
  return static_cast<std::int32_t>(std::min(limit, std::max(-limit, sum)));
}

PairSums plain_pair(std::span<const std::uint8_t> a, std::span<const std::uint8_t> b,
                    std::span<const std::uint8_t> target, const LogTable& table) {
  std::size_t quarters[4][4][4] = {}, halves[2][2][2] = {};
  for (std::size_t i = 0; i < target.size(); ++i) {
    ++quarters[a[i]][b[i]][target[i]];
    ++halves[a[i] / 2][b[i] / 2][target[i] / 2];
  }
  return {interaction(quarters, table), interaction(halves, table)};
}

std::vector<PairHit> plain_scan(const QuantisedSamples& samples, std::span<const std::uint8_t> target,
                                const LogTable& table, const PairCuts& cuts) {
  std::vector<PairHit> hits;
  std::vector<std::size_t> levels;
  for (const Levels& column : samples.columns) levels.push_back(level_count(column));
  for (std::uint32_t a = 0; a < samples.columns.size(); ++a)
    for (std::uint32_t b = a + 1; b < samples.columns.size(); ++b) {
      if (samples.feature[a] == samples.feature[b]) continue;
      const PairSums sums = plain_pair(samples.columns[a], samples.columns[b], target, table);
      if (sums.quarters >= cuts.quarters[levels[a]][levels[b]] || sums.halves >= cuts.halves)
        hits.push_back({a, b, sums});
    }
  return hits;
}

}  // namespace macmi::interactions
