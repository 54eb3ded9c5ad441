#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "baselines/gamma_distribution.hpp"
#include "baselines/gaussian_kernel.hpp"
#include "baselines/points.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

constexpr const char* method = "hsic";
constexpr std::size_t least_samples = 10;
constexpr std::size_t rows_at_a_time = 32;

/// K becomes HKH.
void centre(baselines::Gram& gram, const baselines::RowMeans& means, std::size_t threads) {
  base::parallel_for(gram.n, rows_at_a_time, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < gram.n; ++j)
        gram.row(i)[j] =
            static_cast<float>(static_cast<double>(gram.row(i)[j]) - means.rows[i] - means.rows[j] + means.all);
  });
}

/// Sums over all i, j of products of the two centred matrices, and of their squares off the diagonal.
struct Products {
  double sum = 0, squares = 0;
};
Products products(const baselines::Gram& k, const baselines::Gram& l, std::size_t threads) {
  std::vector<Products> rows(k.n);
  base::parallel_for(k.n, rows_at_a_time, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t i = begin; i < end; ++i)
      for (std::size_t j = 0; j < k.n; ++j) {
        const double product = static_cast<double>(k.row(i)[j]) * static_cast<double>(l.row(i)[j]);
        rows[i].sum += product;
        if (i != j) rows[i].squares += product * product;
      }
  });
  Products all;
  for (const Products& row : rows) all.sum += row.sum, all.squares += row.squares;
  return all;
}

/// (1/n) Σ K_ij L_π(i)π(j), both centred and symmetric.
double permuted_statistic(const baselines::Gram& k, const baselines::Gram& l, const std::vector<std::uint32_t>& order) {
  double diagonal = 0, below = 0;
  for (std::size_t i = 0; i < k.n; ++i) {
    const float *k_row = k.row(i), *l_row = l.row(order[i]);
    float sum[4] = {0, 0, 0, 0};
    std::size_t j = 0;
    for (; j + 4 <= i; j += 4)
      for (std::size_t s = 0; s < 4; ++s) sum[s] += k_row[j + s] * l_row[order[j + s]];
    for (; j < i; ++j) sum[0] += k_row[j] * l_row[order[j]];
    below += static_cast<double>(sum[0] + sum[1]) + static_cast<double>(sum[2] + sum[3]);
    diagonal += static_cast<double>(k_row[i]) * static_cast<double>(l_row[order[i]]);
  }
  return (diagonal + 2 * below) / static_cast<double>(k.n);
}

/// The gamma distribution with the null's mean and variance (Gretton et al. 2007, equations 6 to 9), for n times the
/// biased estimate.
void judge_by_gamma(CiResult& result, double mean_k, double mean_l, double squares) {
  const auto n = static_cast<double>(result.n);
  // Means of the kernels off the diagonal, where they are 1.
  const double k = (n * n * mean_k - n) / (n * (n - 1)), l = (n * n * mean_l - n) / (n * (n - 1));
  result.null_mean = 1 + k * l - k - l;
  const double variance = 2 * (n - 4) * (n - 5) / (n * (n - 1) * (n - 2) * (n - 3)) * squares / (n * (n - 1)) * n * n;
  result.null_sd = std::sqrt(variance);
  result.effect = result.statistic - result.null_mean;
  result.z_score = variance > 0 ? result.effect / result.null_sd : 0;
  result.p_value = baselines::gamma_upper_tail(result.statistic, result.null_mean * result.null_mean / variance,
                                               variance / result.null_mean);
}

}  // namespace

CiResult hsic_test(const Variable& x, const Variable& y, HsicNull null, const TestOptions& options,
                   const TestContext& context) {
  baselines::check_samples(method, x, y, {}, context, least_samples);
  baselines::check_kernel_samples(method, x.samples());
  const baselines::Points xs = baselines::standardised_points(x), ys = baselines::standardised_points(y);
  if (xs.d == 0 || ys.d == 0) return baselines::constant_result(method, x.samples(), xs.d == 0 ? "x" : "y");
  baselines::Gram k = baselines::gaussian_gram(xs, options.threads), l = baselines::gaussian_gram(ys, options.threads);
  const baselines::RowMeans k_means = baselines::row_means(k, options.threads),
                            l_means = baselines::row_means(l, options.threads);
  centre(k, k_means, options.threads);
  centre(l, l_means, options.threads);
  const Products observed = products(k, l, options.threads);
  CiResult result;
  result.n = x.samples();
  result.rule = method;
  result.statistic = observed.sum / static_cast<double>(result.n);
  if (null == HsicNull::gamma) {
    judge_by_gamma(result, k_means.all, l_means.all, observed.squares);
    return result;
  }
  const base::StreamKey key = baselines::stream_of(method, x, y, {}, options, context);
  std::vector<double> values(options.permutations);
  base::parallel_for(values.size(), 1, options.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      if (context.progress && !context.progress(b, values.size())) throw Cancelled();
      base::RandomStream random(key.with(b));
      values[b] = permuted_statistic(k, l, baselines::shuffled_order(k.n, random));
    }
  });
  baselines::judge(result, values);
  result.permuted = std::string(1, 'y');  // GCC 12 warns of the assignment of a literal
  return result;
}

}  // namespace macmi
