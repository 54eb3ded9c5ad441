#include "citest/fold_problem.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "citest/permutation/z_regression.hpp"
#include "macmi/error.hpp"

namespace macmi::citest {
namespace {

/// Units that the radius of a typical neighbourhood must measure for the lattice to stand for the data.
constexpr double least_resolution = 64;

/// The coarsest lattice that does: 16-bit lanes are faster than 32-bit ones.
LatticeSample best_lattice(const knn::JointSample& sample, std::size_t smallest_k) {
  LatticeSample narrow = to_lattice(sample, narrow_lattice);
  return narrow.grids_kept && resolves(narrow, sample, smallest_k) ? narrow : to_lattice(sample, wide_lattice);
}

/// `auto`: small neighbourhoods see fine structure, large ones weak and smooth dependence; no single k serves. Beyond
/// the paper's 100 a neighbourhood costs in proportion to k, and what it would see the residual correlation sees
/// better.
constexpr std::size_t largest_automatic_k = 100;

std::vector<std::size_t> resolve_ks(const NeighbourCount& k, std::size_t n, std::size_t smallest_fold) {
  if (!k.is_automatic()) {
    if (const std::size_t fixed = k.resolve(n); fixed < n) return {fixed};
    throw InputError(fmt::format("k = {} needs at least {} samples, and there are {}; lower --k", k.resolve(n),
                                 k.resolve(n) + 1, n));
  }
  if (smallest_fold) n = std::min(n, smallest_fold);
  const std::size_t most = std::max<std::size_t>(1, n / 2);
  std::vector<std::size_t> ks;
  for (const std::size_t candidate : {std::size_t{5}, std::size_t{20}, std::min(largest_automatic_k, n / 10)})
    ks.push_back(std::clamp(candidate, std::min<std::size_t>(5, most), most));
  std::sort(ks.begin(), ks.end());
  ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
  return ks;
}

/// Every (n / wanted)-th sample in the order of space, from a random one on: z and, for a y of categories, its classes
/// are represented evenly. x, which permutations exchange, has no say in it. None where all samples are centres: when
/// there are no more than wanted, and where an engine treats all samples together, so that fewer would save nothing.
std::vector<std::uint32_t> choose_centres(const StatisticProblem& problem, std::size_t wanted,
                                          const base::StreamKey& stream) {
  const std::size_t n = problem.sample.n;
  const bool together = problem.only_categories() || (grid_engine_fits(problem) && !problem.sample.y.category.empty());
  if (wanted == 0 || wanted >= n || together) return {};
  const double step = static_cast<double>(n) / static_cast<double>(wanted);
  const double start = base::RandomStream(stream.with("centres")).uniform();
  std::vector<std::uint32_t> centres;
  for (std::size_t c = 0; c < wanted; ++c)
    centres.push_back(static_cast<std::uint32_t>((static_cast<double>(c) + start) * step));
  return centres;
}

}  // namespace

EstimateOptions estimate_options(const TestOptions& options, TieRule ties) {
  EstimateOptions result;
  result.transform = options.transform;
  result.ties = ties;
  result.z_weight = options.z_weight;
  result.threads = options.threads;
  return result;
}

bool resolves(const LatticeSample& lattice, const knn::JointSample& sample, std::size_t k) {
  return median_radius(sample, k, lattice.unit) >= least_resolution;
}

StatisticProblem make_problem(const knn::JointSample& sample, const estimation::PreparedSample& prepared,
                              const TestOptions& options, std::size_t smallest_fold, const base::StreamKey& stream) {
  const std::vector<std::size_t> ks = resolve_ks(options.k, sample.n, smallest_fold);
  StatisticProblem problem{best_lattice(sample, ks.front()), prepared.ties == TieRule::mixed, prepared.conditioned, ks,
                           prepared.ties == TieRule::counts ? FixedPsi::logarithms(sample.n) : FixedPsi(sample.n)};
  problem.centres = choose_centres(problem, options.centres, stream);
  return problem;
}

LatticeBlock z_on_fine_lattice(const knn::JointSample& sample) {
  return to_lattice(sample, wide_lattice).z;
}

std::vector<std::vector<double>> x_trend(const estimation::PreparedSample& prepared, const ZRegression& z) {
  const knn::JointSample& sample = prepared.sample;
  if (!prepared.conditioned || sample.z.columns.empty() || !sample.x.category.empty() ||
      prepared.ties == TieRule::mixed)
    return {};
  std::vector<std::vector<double>> trend;
  for (const std::vector<double>& column : sample.x.columns) {
    const Eigen::VectorXd x =
        Eigen::Map<const Eigen::VectorXd>(column.data(), static_cast<Eigen::Index>(column.size()));
    const Eigen::VectorXd explained = x - z.remainder(x);
    trend.emplace_back(explained.begin(), explained.end());
  }
  return trend;
}

std::vector<std::vector<std::int32_t>> in_units(const std::vector<std::vector<double>>& columns, double unit) {
  std::vector<std::vector<std::int32_t>> result;
  for (const std::vector<double>& column : columns) {
    std::vector<std::int32_t>& units = result.emplace_back();
    for (const double v : column) units.push_back(static_cast<std::int32_t>(std::lround(v / unit)));
  }
  return result;
}

}  // namespace macmi::citest
