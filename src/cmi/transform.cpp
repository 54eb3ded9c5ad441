#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/vector/sort.hpp"
#include "cmi/prepare.hpp"

namespace macmi::estimation {
namespace {

using Columns = std::vector<std::vector<double>>;

/// Multiplies by the power of two that brings the largest magnitude to about 1, so that squares neither overflow nor
/// underflow; exact but for subnormal results beside values 2^1000 times larger.
void bring_to_unit_magnitude(std::span<std::vector<double>> columns) {
  double largest = 0;
  for (const auto& column : columns)
    for (const double v : column) largest = std::max(largest, std::abs(v));
  if (largest == 0) return;
  const int exponent = std::ilogb(largest);
  for (auto& column : columns)
    for (double& v : column) v = std::scalbn(v, -exponent);
}

/// Centres every column; returns the sum of squared deviations.
double centre(std::vector<double>& column) {
  const double mean = std::accumulate(column.begin(), column.end(), 0.0) / static_cast<double>(column.size());
  double squares = 0;
  for (double& v : column) {
    v -= mean;
    squares += v * v;
  }
  return squares;
}

/// One scale for all columns together: their root mean square deviation.
void scale_together(std::span<std::vector<double>> columns) {
  bring_to_unit_magnitude(columns);
  double squares = 0, count = 0;
  for (auto& column : columns) {
    squares += centre(column);
    count += static_cast<double>(column.size());
  }
  const double deviation = std::sqrt(squares / count);
  if (deviation == 0) return;
  for (auto& column : columns)
    for (double& v : column) v /= deviation;
}

void to_ranks(std::vector<double>& column) {
  std::vector<double> sorted = column;
  base::sort_ascending(sorted);
  for (double& v : column) v = static_cast<double>(std::lower_bound(sorted.begin(), sorted.end(), v) - sorted.begin());
}

}  // namespace

void apply_transform(Columns& columns, Transform transform) {
  switch (transform) {
    case Transform::none:
      return;
    case Transform::automatic:  // a test chooses before it comes here
    case Transform::block:
      return scale_together(columns);
    case Transform::standardize:
      for (auto& column : columns) scale_together({&column, 1});
      return;
    case Transform::ranks:
      for (auto& column : columns) to_ranks(column);
      return;
  }
}

}  // namespace macmi::estimation
