#pragma once
#include <algorithm>
#include <cmath>
#include <cstdint>
#include <map>
#include <numeric>
#include <vector>

namespace macmi::citest {

using Margin = std::vector<std::uint32_t>;
using Cells = std::vector<std::uint32_t>;

inline double log_factorial(double m) {
  return std::lgamma(m + 1);
}

/// Every table with these margins, row by row, with its probability Π rows! Π columns! / (n! Π cells!).
inline void enumerate(const Margin& rows, Margin columns_left, Cells& so_far, double log_p,
                      std::map<Cells, double>& out) {
  const std::size_t width = columns_left.size(), row = so_far.size() / width, column = so_far.size() % width;
  if (row == rows.size()) {
    out[so_far] = std::exp(log_p);
    return;
  }
  const std::uint32_t used = std::accumulate(so_far.end() - static_cast<std::ptrdiff_t>(column), so_far.end(), 0u);
  const std::uint32_t left = rows[row] - used;
  for (std::uint32_t m = 0; m <= std::min(left, columns_left[column]); ++m) {
    if (column + 1 == width && m != left) continue;
    if (row + 1 == rows.size() && m != columns_left[column]) continue;
    so_far.push_back(m);
    columns_left[column] -= m;
    enumerate(rows, columns_left, so_far, log_p - log_factorial(m), out);
    columns_left[column] += m;
    so_far.pop_back();
  }
}

/// Every table with these margins, and how likely random permutations make it.
inline std::map<Cells, double> all_tables(const Margin& rows, const Margin& columns) {
  double constant = -log_factorial(std::accumulate(rows.begin(), rows.end(), 0u));
  for (const Margin* margin : {&rows, &columns})
    for (const std::uint32_t m : *margin) constant += log_factorial(m);
  std::map<Cells, double> tables;
  Cells so_far;
  enumerate(rows, columns, so_far, constant, tables);
  return tables;
}

}  // namespace macmi::citest
