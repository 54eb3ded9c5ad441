#include <algorithm>
#include <numeric>

#include "base/parallel.hpp"
#include "baselines/gaussian_kernel.hpp"
#include "baselines/matching.hpp"
#include "baselines/points.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

constexpr const char* method = "sdcit";
constexpr std::size_t least_samples = 20;
/// Enough to share rows, few enough for their indices to stay in the cache and for several threads.
constexpr std::size_t pairings_at_once = 50;

using Samples = std::vector<std::uint32_t>;

/// `statistic`: the difference between the samples and those with y exchanged within pairs. `error`: the part of it
/// that comes from pairs with different z; it is measured without x, which is no part of the hypothesis.
struct Discrepancy {
  double statistic = 0, error = 0;
};

/// Samples in pairs, in the order of the first of each, and the samples whose y stand at them.
struct Pairing {
  Samples first, second, y_first, y_second;

  Pairing(const Samples& part, const Samples& partner, const Samples& y_of) {
    for (const std::uint32_t i : part)
      if (i < partner[i]) {
        first.push_back(i), second.push_back(partner[i]);
        y_first.push_back(y_of[i]), y_second.push_back(y_of[partner[i]]);
      }
  }
};

/// The unbiased squared maximum mean discrepancy of each pairing: the mean over i, j that are neither the same nor
/// partners of K_xz(i,j) · (K_y(i,j) + K_y(πi,πj) − K_y(i,πj) − K_y(πi,j)); for `error` K_z takes the place of K_xz.
/// As π only exchanges partners, the sum over two pairs is a product of two alternating sums over their four corners.
/// Sample by sample, not pairing by pairing: partners are near, so that pairings share most rows, which are long.
std::vector<Discrepancy> self_discrepancies(const baselines::Gram& k_xz, const baselines::Gram& k_z,
                                            const baselines::Gram& k_y, std::span<const Pairing> pairings) {
  std::vector<Discrepancy> sums(pairings.size());
  std::vector<std::size_t> done(pairings.size());
  for (std::uint32_t sample = 0; sample < k_y.n; ++sample)
    for (std::size_t p = 0; p < pairings.size(); ++p) {
      const auto& [first, second, y_first, y_second] = pairings[p];
      const std::size_t a = done[p];
      if (a == first.size() || first[a] != sample) continue;
      ++done[p];
      const float *x1 = k_xz.row(first[a]), *x2 = k_xz.row(second[a]);
      const float *z1 = k_z.row(first[a]), *z2 = k_z.row(second[a]);
      const float *y1 = k_y.row(y_first[a]), *y2 = k_y.row(y_second[a]);
      float with_x = 0, without = 0;
      for (std::size_t b = 0; b < a; ++b) {
        const std::uint32_t i = first[b], j = second[b], yi = y_first[b], yj = y_second[b];
        const float of_y = (y1[yi] - y2[yi]) - (y1[yj] - y2[yj]);
        with_x += ((x1[i] - x2[i]) - (x1[j] - x2[j])) * of_y;
        without += ((z1[i] - z2[i]) - (z1[j] - z2[j])) * of_y;
      }
      sums[p].statistic += static_cast<double>(with_x), sums[p].error += static_cast<double>(without);
    }
  for (std::size_t p = 0; p < pairings.size(); ++p) {
    const auto used = static_cast<double>(2 * pairings[p].first.size());
    sums[p] = {2 * sums[p].statistic / (used * (used - 2)), 2 * sums[p].error / (used * (used - 2))};
  }
  return sums;
}

/// How much of the statistic goes with the error, over the null: the slope of the regression, at least 0.
double slope(const std::vector<Discrepancy>& null) {
  const auto count = static_cast<double>(null.size());
  double mean_s = 0, mean_e = 0, se = 0, ee = 0;
  for (const Discrepancy& d : null) mean_s += d.statistic / count, mean_e += d.error / count;
  for (const Discrepancy& d : null)
    se += (d.statistic - mean_s) * (d.error - mean_e), ee += (d.error - mean_e) * (d.error - mean_e);
  return ee > 0 ? std::max(0.0, se / ee) : 0;
}

/// Points in another order.
baselines::Points reordered(const baselines::Points& points, const Samples& order) {
  baselines::Points result{points.n, points.d, {}};
  result.values.reserve(points.values.size());
  for (const std::uint32_t i : order)
    result.values.insert(result.values.end(), points.row(i), points.row(i) + points.d);
  return result;
}

/// n/2 of the samples, without replacement, in increasing order.
Samples half_of(std::size_t n, base::RandomStream& random) {
  Samples half = baselines::shuffled_order(n, random);
  half.resize(n / 2);
  std::sort(half.begin(), half.end());
  return half;
}

}  // namespace

CiResult sdcit_test(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                    const TestContext& context) {
  baselines::check_samples(method, x, y, z, context, least_samples);
  baselines::check_kernel_samples(method, x.samples());
  baselines::Points xs = baselines::standardised_points(x), ys = baselines::standardised_points(y),
                    zs = baselines::standardised_points(z);
  if (zs.d == 0) {
    CiResult marginal = hsic_test(x, y, HsicNull::gamma, options, context);
    marginal.notes.emplace_back("nothing to condition on: HSIC in place of SDCIT, as the paper does");
    return marginal;
  }
  if (xs.d == 0 || ys.d == 0) return baselines::constant_result(method, x.samples(), xs.d == 0 ? "x" : "y");

  const base::StreamKey key = baselines::stream_of(method, x, y, z, options, context);
  base::RandomStream shuffle(key.with("order"));
  const Samples order = baselines::shuffled_order(xs.n, shuffle);
  xs = reordered(xs, order), ys = reordered(ys, order), zs = reordered(zs, order);
  baselines::Gram k_xz = baselines::gaussian_gram(xs, options.threads);
  const baselines::Gram k_y = baselines::gaussian_gram(ys, options.threads),
                        k_z = baselines::gaussian_gram(zs, options.threads);
  for (std::size_t e = 0; e < k_xz.values.size(); ++e) k_xz.values[e] *= k_z.values[e];
  const baselines::NearMatching matching(zs, baselines::median_distance(zs), options.threads);
  Samples all(xs.n);
  std::iota(all.begin(), all.end(), 0U);
  const Samples observed = matching.pairs(all);
  // y exchanged once, within other pairs, makes samples of the null hypothesis.
  const Samples under_null = matching.pairs(all, observed);

  const Discrepancy whole = self_discrepancies(k_xz, k_z, k_y, std::vector{Pairing(all, observed, all)}).front();
  std::vector<Discrepancy> halves(options.permutations);
  const std::size_t blocks = (halves.size() + pairings_at_once - 1) / pairings_at_once;
  base::parallel_for(blocks, 1, options.threads, [&](std::size_t first_block, std::size_t end_block) {
    for (std::size_t block = first_block; block < end_block; ++block) {
      const std::size_t begin = block * pairings_at_once, end = std::min(begin + pairings_at_once, halves.size());
      std::vector<Pairing> pairings;
      for (std::size_t b = begin; b < end; ++b) {
        if (context.progress && !context.progress(b, halves.size())) throw Cancelled();
        base::RandomStream random(key.with(b));
        const Samples half = half_of(xs.n, random);
        pairings.emplace_back(half, matching.pairs(half, under_null), under_null);
      }
      std::ranges::copy(self_discrepancies(k_xz, k_z, k_y, pairings),
                        halves.begin() + static_cast<std::ptrdiff_t>(begin));
    }
  });
  // Imperfect pairs bias the statistic and its null: what goes with the error is taken off both, and the null centred.
  // A half sample scatters twice as much as the whole one (degenerate U-statistics: as 1/n).
  const double beta = slope(halves);
  std::vector<double> null;
  for (const Discrepancy& d : halves) null.push_back(d.statistic - beta * d.error);
  const double bias = std::accumulate(null.begin(), null.end(), 0.0) / static_cast<double>(null.size());
  for (double& value : null) value = 0.5 * (value - bias);
  CiResult result;
  result.n = xs.n;
  result.rule = method;
  result.permuted = std::string(1, 'y');  // GCC 12 warns of the assignment of a literal
  result.statistic = whole.statistic - beta * whole.error;
  baselines::judge(result, null);
  return result;
}

}  // namespace macmi
