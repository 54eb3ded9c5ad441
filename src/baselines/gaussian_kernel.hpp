#pragma once
#include <cstddef>
#include <span>
#include <string_view>
#include <vector>

#include "baselines/points.hpp"

namespace macmi::baselines {

/// A symmetric matrix of kernel values, whole, in single precision: sums over it are taken in double.
struct Gram {
  std::size_t n = 0;
  std::vector<float> values;
  const float* row(std::size_t i) const { return values.data() + i * n; }
  float* row(std::size_t i) { return values.data() + i * n; }
};

/// Most samples a kernel method takes: three matrices of n² numbers are then 3 GB.
inline constexpr std::size_t most_kernel_samples = 16000;
void check_kernel_samples(std::string_view method, std::size_t n);

/// The median distance between different points (of at most 1000, evenly taken), the usual width of the kernel.
double median_distance(const Points& points);

/// exp(−|a − b|² / (2 σ²)) with σ the median distance. O(n² d).
Gram gaussian_gram(const Points& points, std::size_t threads);

/// The means of the rows; their mean.
struct RowMeans {
  std::vector<double> rows;
  double all = 0;
};
RowMeans row_means(const Gram& gram, std::size_t threads);

}  // namespace macmi::baselines
