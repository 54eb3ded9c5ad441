#include "citest/fold_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "citest/engines/choose_engine.hpp"
#include "citest/engines/spatial_order.hpp"
#include "citest/permutation/z_regression.hpp"
#include "citest/shared_null.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

/// Units that the radius of a typical neighbourhood must measure for the lattice to stand for the data.
constexpr double least_resolution = 64;

EstimateOptions estimate_options(const TestOptions& options, TieRule ties) {
  EstimateOptions result;
  result.transform = options.transform;
  result.ties = ties;
  result.z_weight = options.z_weight;
  result.threads = options.threads;
  return result;
}

bool resolves(const LatticeSample& lattice, const JointSample& sample, std::size_t k) {
  return median_radius(sample, k, lattice.unit) >= least_resolution;
}

/// The coarsest lattice that does: 16-bit lanes are faster than 32-bit ones.
LatticeSample best_lattice(const JointSample& sample, std::size_t smallest_k) {
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
  std::vector<std::size_t> ks;
  for (const std::size_t candidate : {std::size_t{5}, std::size_t{20}, std::min(largest_automatic_k, n / 10)})
    ks.push_back(std::clamp<std::size_t>(candidate, std::min<std::size_t>(5, n - 1), std::max<std::size_t>(1, n / 2)));
  std::sort(ks.begin(), ks.end());
  ks.erase(std::unique(ks.begin(), ks.end()), ks.end());
  return ks;
}

/// Every (n / wanted)-th sample in the order of space, from a random one on: z and, for a y of categories, its classes
/// are represented evenly. x, which permutations exchange, has no say in it. None where all samples are centres: when
/// there are no more than wanted, and where an engine treats all samples together, so that fewer would save nothing.
std::vector<std::uint32_t> choose_centres(const StatisticProblem& problem, std::size_t wanted,
                                          const StreamKey& stream) {
  const std::size_t n = problem.sample.n;
  const bool together = problem.only_categories() || (grid_engine_fits(problem) && !problem.sample.y.category.empty());
  if (wanted == 0 || wanted >= n || together) return {};
  const double step = static_cast<double>(n) / static_cast<double>(wanted);
  const double start = RandomStream(stream.with("centres")).uniform();
  std::vector<std::uint32_t> centres;
  for (std::size_t c = 0; c < wanted; ++c)
    centres.push_back(static_cast<std::uint32_t>((static_cast<double>(c) + start) * step));
  return centres;
}

/// What z makes of every column of x. Nothing where x has ties or categories: shifted a little, they would be gone.
std::vector<std::vector<double>> x_trend(const PreparedSample& prepared, const ZRegression& z) {
  const JointSample& sample = prepared.sample;
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

/// The deviation of a correlation between permuted columns in those of one between remainders of as many samples, which
/// have lost a degree of freedom for every parameter.
double chance_correlation(std::size_t n, std::size_t fitted) {
  if (fitted == 0 || fitted + 2 >= n) return 1;
  return std::sqrt(static_cast<double>(n - 1 - fitted) / static_cast<double>(n - 1));
}

}  // namespace

FoldTest::FoldTest(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options, TieRule ties,
                   const Correlate& correlate, const StreamKey& stream, std::size_t smallest_fold)
    : FoldTest(x, y, z, options, stream, ties, correlate,
               in_spatial_order(prepare(x, y, z, estimate_options(options, ties))), smallest_fold) {}

FoldTest::FoldTest(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                   const StreamKey& stream, TieRule ties, const Correlate& correlate, PreparedSample prepared,
                   std::size_t smallest_fold)
    : x_(x),
      y_(y),
      z_(z),
      estimate_(estimate_options(options, ties)),
      threads_(options.threads),
      alone_(prepared.alone),
      constant_(prepared.x_constant || prepared.y_constant),
      stream_(stream),
      problem_{
          best_lattice(prepared.sample, resolve_ks(options.k, prepared.sample.n, smallest_fold).front()),
          prepared.ties == TieRule::mixed, prepared.conditioned,
          resolve_ks(options.k, prepared.sample.n, smallest_fold),
          prepared.ties == TieRule::counts ? FixedPsi::logarithms(prepared.sample.n) : FixedPsi(prepared.sample.n)},
      // On the fine lattice: ties in z are those of the data, not of the coarse one.
      permutations_(to_lattice(prepared.sample, wide_lattice).z, problem_.sample.n, options.neighbours, threads_) {
  problem_.centres = choose_centres(problem_, options.centres, stream);
  const bool regress = correlate.look != WideLook::none || !options.no_adjustment;
  const ZRegression regression(regress ? prepared.sample.z : Block(), prepared.sample.n,
                               {&prepared.sample.x, &prepared.sample.y});
  if (!options.no_adjustment) trend_ = x_trend(prepared, regression);
  if (regress && prepared.conditioned) {
    left_of_x_ = share_left(prepared.sample.x, regression);
    left_of_y_ = share_left(prepared.sample.y, regression);
  }
  for (const std::vector<double>& column : trend_) {
    std::vector<std::int32_t>& units = problem_.x_trend.emplace_back();
    for (const double v : column) units.push_back(static_cast<std::int32_t>(std::lround(v / problem_.sample.unit)));
  }
  if (correlate.look != WideLook::none) {
    std::vector<double> score;
    if (!correlate.score.empty())
      for (const std::size_t i : prepared.rows) score.push_back(correlate.score[i]);
    const std::span<const double> none;
    correlation_.emplace(prepared.sample, regression, correlate.look, correlate.score_of_fixed ? none : score,
                         correlate.score_of_fixed ? score : none);
  }
  shrink_correlation_ = chance_correlation(prepared.sample.n, correlate.fitted);
  on_lattice_ =
      problem_.sample.range == narrow_lattice || resolves(problem_.sample, prepared.sample, problem_.ks.front());
  exact_ = std::move(prepared.sample);
}

void FoldTest::make_engines() {
  if (observed_) return;
  if (problem_.only_categories()) {
    observed_ = make_table_engine(problem_, threads_);
    return;
  }
  if (on_lattice_ && grid_engine_fits(problem_)) {
    observed_ = make_engine(problem_, threads_);
    return;
  }
  observed_ = make_tree_engine(problem_, on_lattice_ ? as_joint_sample(problem_.sample) : std::move(exact_), threads_,
                               std::move(trend_));
  if (!on_lattice_) return;
  engine_ = make_engine(problem_, threads_);
}

double FoldTest::nats(const StatisticSum& sum) const {
  return problem_.psi.to_nats(sum.terms) / static_cast<double>(centres());
}

std::vector<double> FoldTest::exact_statistics() const {
  // An estimate is refused where no sample has a neighbour; a test has its answer: nothing is seen.
  if (alone_ == samples() && !problem_.only_categories()) return std::vector<double>(ks().size());
  std::vector<double> values;
  if (centres() < samples()) {
    std::vector<StatisticSum> sums(ks().size());
    (on_lattice_ ? *make_tree_engine(problem_, exact_, threads_) : *observed_).evaluate(as_they_are(), sums);
    for (const StatisticSum& sum : sums) values.push_back(nats(sum));
    return values;
  }
  for (const std::size_t k : ks()) {
    EstimateOptions options = estimate_;
    options.k = static_cast<double>(k);
    values.push_back(estimate_cmi(x_, y_, z_, options).value);
  }
  return values;
}

std::vector<std::uint32_t> FoldTest::as_they_are() const {
  std::vector<std::uint32_t> identity(samples());
  std::iota(identity.begin(), identity.end(), 0U);
  return identity;
}

std::vector<double> FoldTest::observed() {
  make_engines();
  const std::vector<std::uint32_t> identity = as_they_are();
  std::vector<StatisticSum> sums(ks().size());
  observed_->evaluate(identity, sums);
  std::vector<double> values;
  for (const StatisticSum& sum : sums) values.push_back(nats(sum));
  if (correlation_) values.push_back(shrink_correlation_ * correlation_->of(identity));
  return values;
}

std::vector<double> FoldTest::observed_correlation() const {
  return {shrink_correlation_ * correlation_->of(as_they_are())};
}

std::vector<double> FoldTest::correlations(std::span<const std::uint32_t> sources) const {
  const std::size_t n = samples();
  std::vector<double> values(sources.size() / n);
  parallel_for(values.size(), 8, threads_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b) values[b] = correlation_->of(sources.subspan(b * n, n));
  });
  return values;
}

std::vector<double> FoldTest::permuted_correlations(std::size_t count) const {
  return correlations(draw(0, count));
}

std::vector<std::uint32_t> FoldTest::draw(std::uint64_t first, std::size_t count) const {
  const std::size_t n = samples();
  std::vector<std::uint32_t> sources(count * n);
  parallel_for(count, 4, threads_, [&](std::size_t begin, std::size_t end) {
    for (std::size_t b = begin; b < end; ++b)
      permutations_.draw(stream_, first + b, std::span(sources).subspan(b * n, n));
  });
  return sources;
}

std::vector<double> FoldTest::permuted(std::uint64_t first, std::size_t count) {
  if (shared_) return shared_->permuted(first, count);
  make_engines();
  const std::vector<std::uint32_t> sources = draw(first, count);
  std::vector<StatisticSum> sums(count * ks().size());
  (engine_ ? *engine_ : *observed_).evaluate(sources, sums);
  const std::vector<double> wide = correlation_ ? correlations(sources) : std::vector<double>();
  std::vector<double> values;
  values.reserve(sums.size() + count);
  for (std::size_t b = 0; b < count; ++b) {
    for (std::size_t q = 0; q < ks().size(); ++q) values.push_back(nats(sums[b * ks().size() + q]));
    if (correlation_) values.push_back(wide[b]);
  }
  return values;
}

}  // namespace macmi
