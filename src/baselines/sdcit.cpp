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

using Samples = std::vector<std::uint32_t>;

/// The unbiased squared maximum mean discrepancy between the samples of `part` and the same with y exchanged within
/// pairs: the mean over i, j that are neither the same nor partners of
/// K_xz(i,j) · (K_y(i,j) + K_y(πi,πj) − K_y(i,πj) − K_y(πi,j)).
/// As π only exchanges partners, the sum over two pairs is a product of two alternating sums over their four corners.
/// `y_of[i]` is the sample whose y stands at i.
double self_discrepancy(const Gram& k_xz, const Gram& k_y, const Samples& part, const Samples& partner,
                        const Samples& y_of) {
  Samples first, second;
  for (const std::uint32_t i : part)
    if (i < partner[i]) first.push_back(i), second.push_back(partner[i]);
  const std::size_t pairs = first.size();
  Samples y_first(pairs), y_second(pairs);
  for (std::size_t a = 0; a < pairs; ++a) y_first[a] = y_of[first[a]], y_second[a] = y_of[second[a]];
  double sum = 0;
  for (std::size_t a = 0; a < pairs; ++a) {
    const float *x1 = k_xz.row(first[a]), *x2 = k_xz.row(second[a]);
    const float *y1 = k_y.row(y_first[a]), *y2 = k_y.row(y_second[a]);
    float of_row = 0;
    for (std::size_t b = 0; b < a; ++b) {
      const float corners_x = (x1[first[b]] - x2[first[b]]) - (x1[second[b]] - x2[second[b]]);
      const float corners_y = (y1[y_first[b]] - y2[y_first[b]]) - (y1[y_second[b]] - y2[y_second[b]]);
      of_row += corners_x * corners_y;
    }
    sum += static_cast<double>(of_row);
  }
  const auto used = static_cast<double>(2 * pairs);
  return 2 * sum / (used * (used - 2));
}

/// Points in another order.
Points reordered(const Points& points, const Samples& order) {
  Points result{points.n, points.d, {}};
  result.values.reserve(points.values.size());
  for (const std::uint32_t i : order)
    result.values.insert(result.values.end(), points.row(i), points.row(i) + points.d);
  return result;
}

/// n/2 of the samples, without replacement, in increasing order.
Samples half_of(std::size_t n, RandomStream& random) {
  Samples half = shuffled_order(n, random);
  half.resize(n / 2);
  std::sort(half.begin(), half.end());
  return half;
}

}  // namespace

CiResult sdcit_test(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                    const TestContext& context) {
  check_samples(method, x, y, z, context, least_samples);
  check_kernel_samples(method, x.samples());
  Points xs = standardised_points(x), ys = standardised_points(y), zs = standardised_points(z);
  if (zs.d == 0) {
    CiResult marginal = hsic_test(x, y, HsicNull::gamma, options, context);
    marginal.notes.emplace_back("nothing to condition on: HSIC in place of SDCIT, as the paper does");
    return marginal;
  }
  if (xs.d == 0 || ys.d == 0) return constant_result(method, x.samples(), xs.d == 0 ? "x" : "y");

  const StreamKey key = stream_of(method, x, y, z, options, context);
  RandomStream shuffle(key.with("order"));
  const Samples order = shuffled_order(xs.n, shuffle);
  xs = reordered(xs, order), ys = reordered(ys, order), zs = reordered(zs, order);
  Gram k_xz = gaussian_gram(xs, options.threads);
  const Gram k_y = gaussian_gram(ys, options.threads);
  {
    const Gram k_z = gaussian_gram(zs, options.threads);
    for (std::size_t e = 0; e < k_xz.values.size(); ++e) k_xz.values[e] *= k_z.values[e];
  }
  const NearMatching matching(zs, median_distance(zs), options.threads);
  Samples all(xs.n);
  std::iota(all.begin(), all.end(), 0U);
  const Samples observed = matching.pairs(all);
  // y exchanged once, within other pairs, makes samples of the null hypothesis.
  const Samples under_null = matching.pairs(all, observed);

  CiResult result;
  result.n = xs.n;
  result.rule = method;
  result.permuted = std::string(1, 'y');  // GCC 12 warns of the assignment of a literal
  result.statistic = self_discrepancy(k_xz, k_y, all, observed, all);
  std::vector<double> null(options.permutations);
  parallel_for(null.size(), 1, options.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) {
      if (context.progress && !context.progress(b, null.size())) throw Cancelled();
      RandomStream random(key.with(b));
      const Samples half = half_of(xs.n, random);
      null[b] = self_discrepancy(k_xz, k_y, half, matching.pairs(half, under_null), under_null);
    }
  });
  // A half sample scatters twice as much as the whole one (degenerate U-statistics: as 1/n), and what remains of its
  // mean is the bias of imperfect pairs.
  const double bias = std::accumulate(null.begin(), null.end(), 0.0) / static_cast<double>(null.size());
  for (double& value : null) value = 0.5 * (value - bias);
  judge(result, null);
  return result;
}

}  // namespace macmi
