#include "baselines/gaussian_kernel.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "macmi/error.hpp"

namespace macmi::baselines {
namespace {

constexpr std::size_t most_for_median = 1000;
constexpr std::size_t rows_at_a_time = 32;

}  // namespace

void check_kernel_samples(std::string_view method, std::size_t n) {
  if (n > most_kernel_samples)
    throw InputError(
        fmt::format("--method {}: its memory grows with the square of the samples; {} are more than the {} it takes. "
                    "Take a part of them (--rows)",
                    method, n, most_kernel_samples));
}

double median_distance(const Points& points) {
  const std::size_t taken = std::min(points.n, most_for_median);
  std::vector<double> squares;
  squares.reserve(taken * (taken - 1) / 2);
  const auto place = [&](std::size_t t) { return t * points.n / taken; };
  for (std::size_t a = 1; a < taken; ++a)
    for (std::size_t b = 0; b < a; ++b)
      if (const double square = squared_distance(points, place(a), place(b)); square > 0) squares.push_back(square);
  if (squares.empty()) return 1;
  const auto middle = squares.begin() + static_cast<std::ptrdiff_t>(squares.size() / 2);
  std::nth_element(squares.begin(), middle, squares.end());
  return std::sqrt(*middle);
}

Gram gaussian_gram(const Points& points, std::size_t threads) {
  const double width = median_distance(points);
  const auto scale = static_cast<float>(-0.5 / (width * width));
  Gram gram{points.n, std::vector<float>(points.n * points.n)};
  // Columns apart, so that the inner loop runs along samples.
  std::vector<std::vector<float>> columns(points.d, std::vector<float>(points.n));
  for (std::size_t i = 0; i < points.n; ++i)
    for (std::size_t c = 0; c < points.d; ++c) columns[c][i] = static_cast<float>(points.row(i)[c]);
  base::parallel_for(points.n, rows_at_a_time, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i) {
      float* row = gram.row(i);
      for (const std::vector<float>& column : columns)
        for (std::size_t j = 0; j < points.n; ++j) row[j] += (column[j] - column[i]) * (column[j] - column[i]);
      for (std::size_t j = 0; j < points.n; ++j) row[j] = std::exp(row[j] * scale);
    }
  });
  return gram;
}

RowMeans row_means(const Gram& gram, std::size_t threads) {
  RowMeans means{std::vector<double>(gram.n), 0};
  base::parallel_for(gram.n, rows_at_a_time, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      means.rows[i] = std::accumulate(gram.row(i), gram.row(i) + gram.n, 0.0) / static_cast<double>(gram.n);
  });
  means.all = std::accumulate(means.rows.begin(), means.rows.end(), 0.0) / static_cast<double>(gram.n);
  return means;
}

}  // namespace macmi::baselines
