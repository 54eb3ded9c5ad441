#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace macmi::citest {

/// The rows of two matrices, a row after the other, with p and q columns.
struct CrossFactors {
  const double *x, *y;
  std::size_t p, q;
};

/// Σ_i x[source[i]][a] · y[i][b] for every pair of columns, element [a q + b]. Each sum is taken in the order of the
/// samples, so that vector width does not matter. O(n p q).
std::vector<double> cross_products(const CrossFactors& factors, std::span<const std::uint32_t> source);

}  // namespace macmi::citest
