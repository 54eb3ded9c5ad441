#include "citest/fold_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "citest/engines/choose_engine.hpp"
#include "citest/engines/spatial_order.hpp"
#include "citest/neighbourhood_rows.hpp"
#include "citest/null/stopping.hpp"
#include "citest/permutation/z_regression.hpp"
#include "citest/shared_null.hpp"
#include "macmi/error.hpp"

namespace macmi::citest {
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

bool resolves(const LatticeSample& lattice, const knn::JointSample& sample, std::size_t k) {
  return median_radius(sample, k, lattice.unit) >= least_resolution;
}

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

StatisticProblem make_problem(const knn::JointSample& sample, const estimation::PreparedSample& prepared,
                              const TestOptions& options, std::size_t smallest_fold) {
  const std::vector<std::size_t> ks = resolve_ks(options.k, sample.n, smallest_fold);
  return {best_lattice(sample, ks.front()), prepared.ties == TieRule::mixed, prepared.conditioned, ks,
          prepared.ties == TieRule::counts ? FixedPsi::logarithms(sample.n) : FixedPsi(sample.n)};
}

/// Ties in z are those of the data, not of the coarse lattice.
LatticeBlock z_on_fine_lattice(const knn::JointSample& sample) {
  return to_lattice(sample, wide_lattice).z;
}

/// What z makes of every column of x. Nothing where x has ties or categories: shifted a little, they would be gone.
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

/// The deviation of a correlation between permuted columns in those of one between remainders of as many samples, which
/// have lost a degree of freedom for every parameter.
double chance_correlation(std::size_t n, std::size_t fitted) {
  if (fitted == 0 || fitted + 2 >= n) return 1;
  return std::sqrt(static_cast<double>(n - 1 - fitted) / static_cast<double>(n - 1));
}

}  // namespace

FoldTest::FoldTest(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options, TieRule ties,
                   const Correlate& correlate, const base::StreamKey& stream, std::size_t smallest_fold)
    : FoldTest(x, y, z, options, stream, ties, correlate,
               with_rows_first(in_spatial_order(estimation::prepare(x, y, z, estimate_options(options, ties))),
                               neighbourhood_rows(x.samples(), options.centres), stream),
               smallest_fold) {}

FoldTest::FoldTest(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                   const base::StreamKey& stream, TieRule ties, const Correlate& correlate,
                   estimation::PreparedSample prepared, std::size_t smallest_fold)
    : x_(x),
      y_(y),
      z_(z),
      estimate_(estimate_options(options, ties)),
      threads_(options.threads),
      alone_(prepared.alone),
      constant_(prepared.x_constant || prepared.y_constant),
      stream_(stream),
      n_(prepared.sample.n),
      exact_(samples_between(prepared.sample, 0, neighbourhood_rows(n_, options.centres))),
      problem_(make_problem(exact_, prepared, options, smallest_fold)),
      permutations_(z_on_fine_lattice(exact_), exact_.n, options.neighbours, threads_) {
  if (exact_.n < n_) {
    others_.emplace(samples_between(prepared.sample, exact_.n, n_).z, n_ - exact_.n, options.neighbours);
  }
  problem_.centres = choose_centres(problem_, options.centres, stream);
  const bool regress = correlate.look != WideLook::none || !options.no_adjustment;
  const ZRegression regression(regress ? prepared.sample.z : knn::Block(), prepared.sample.n,
                               {&prepared.sample.x, &prepared.sample.y});
  if (!options.no_adjustment) trend_ = x_trend(prepared, regression);
  for (std::vector<double>& column : trend_) {
    column.resize(exact_.n);
    std::vector<std::int32_t>& units = problem_.x_trend.emplace_back();
    for (const double v : column) units.push_back(static_cast<std::int32_t>(std::lround(v / problem_.sample.unit)));
  }
  std::vector<double> score;
  if (!correlate.score.empty())
    for (const std::size_t i : prepared.rows) score.push_back(correlate.score[i]);
  const bool shares = regress && prepared.conditioned;
  base::run_together(threads_, {[&] {
                                  if (shares) left_of_x_ = share_left(prepared.sample.x, regression);
                                },
                                [&] {
                                  if (shares) left_of_y_ = share_left(prepared.sample.y, regression);
                                },
                                [&] {
                                  const std::span<const double> none;
                                  if (correlate.look != WideLook::none)
                                    correlation_.emplace(prepared.sample, regression, correlate.look,
                                                         correlate.score_of_fixed ? none : score,
                                                         correlate.score_of_fixed ? score : none);
                                }});
  on_lattice_ = problem_.sample.range == narrow_lattice || resolves(problem_.sample, exact_, problem_.ks.front());
  if (on_lattice_) exact_ = {};
  shrink_correlation_ = chance_correlation(n_, correlate.fitted);
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
  if (centres() < samples())  // no estimate is taken at centres: the value that the null was compared with
    return {at_centres_.begin(), at_centres_.begin() + static_cast<std::ptrdiff_t>(ks().size())};
  for (const std::size_t k : ks()) {
    EstimateOptions options = estimate_;
    options.k = static_cast<double>(k);
    values.push_back(estimate_cmi(x_, y_, z_, options).value);
  }
  return values;
}

std::vector<std::uint32_t> FoldTest::as_they_are(std::size_t count) {
  std::vector<std::uint32_t> identity(count);
  std::iota(identity.begin(), identity.end(), 0U);
  return identity;
}

/// Engines of labels have room for the samples as they are beside the first permutations. Others would need another
/// batch for them, where trees are faster.
std::vector<double> FoldTest::observed() {
  make_engines();
  const std::vector<std::uint32_t> identity = as_they_are(near_rows());
  std::vector<StatisticSum> sums(ks().size());
  if (engine_ && label_engine_fits(problem_)) {
    if (first_.sources.empty()) first_.sources = draw(0, look_every);
    std::vector<std::uint32_t> sources = identity;
    sources.insert(sources.end(), first_.sources.begin(), first_.sources.end());
    first_.sums.resize(sources.size() / near_rows() * ks().size());
    engine_->evaluate(sources, first_.sums);
    std::copy_n(first_.sums.begin(), sums.size(), sums.begin());
    first_.sums.erase(first_.sums.begin(), first_.sums.begin() + static_cast<std::ptrdiff_t>(sums.size()));
  } else {
    observed_->evaluate(identity, sums);
  }
  at_centres_.clear();
  for (const StatisticSum& sum : sums) at_centres_.push_back(nats(sum));
  std::vector<double> values = at_centres_;
  if (correlation_) values.push_back(observed_correlation().front());
  return values;
}

std::vector<double> FoldTest::observed_correlation() const {
  return {shrink_correlation_ * correlation_->of(as_they_are(n_))};
}

std::vector<double> FoldTest::correlations(std::uint64_t first, std::span<const std::uint32_t> sources) const {
  const std::size_t rows = near_rows();
  std::vector<double> values(sources.size() / rows);
  base::parallel_for(values.size(), 8, threads_, [&](std::size_t begin, std::size_t end) {
    std::vector<std::uint32_t> all(others_ ? n_ : 0);
    for (std::size_t b = begin; b < end; ++b) {
      const auto near = sources.subspan(b * rows, rows);
      if (others_) {
        std::copy(near.begin(), near.end(), all.begin());
        const auto beyond = std::span(all).subspan(rows);
        others_->draw(stream_.with("others"), first + b, beyond);
        for (std::uint32_t& source : beyond) source += static_cast<std::uint32_t>(rows);
      }
      values[b] = correlation_->of(others_ ? std::span<const std::uint32_t>(all) : near);
    }
  });
  return values;
}

std::vector<double> FoldTest::permuted_correlations(std::size_t count) const {
  if (first_.wide.size() != count) {
    first_.sources = draw(0, count);
    first_.wide = correlations(0, first_.sources);
  }
  return first_.wide;
}

std::vector<std::uint32_t> FoldTest::draw(std::uint64_t first, std::size_t count) const {
  const std::size_t rows = near_rows();
  std::vector<std::uint32_t> sources(count * rows);
  base::parallel_for(count, 4, threads_, [&](std::size_t begin, std::size_t end) {
    LocalPermutations::Scratch scratch;
    for (std::size_t b = begin; b < end; ++b)
      permutations_.draw(stream_, first + b, std::span(sources).subspan(b * rows, rows), scratch);
  });
  return sources;
}

FoldTest::Draws FoldTest::evaluated(Draws draws, std::uint64_t first) {
  if (correlation_ && draws.wide.empty()) draws.wide = correlations(first, draws.sources);
  if (draws.sums.empty()) {
    draws.sums.resize(draws.sources.size() / near_rows() * ks().size());
    (engine_ ? *engine_ : *observed_).evaluate(draws.sources, draws.sums);
  }
  return draws;
}

std::vector<double> FoldTest::permuted(std::uint64_t first, std::size_t count) {
  if (shared_) return shared_->permuted(first, count);
  make_engines();
  std::vector<double> values;
  values.reserve(count * (ks().size() + 1));
  const auto append = [&](const Draws& draws) {
    const std::size_t drawn = draws.sums.size() / ks().size();
    for (std::size_t b = 0; b < drawn; ++b) {
      for (std::size_t q = 0; q < ks().size(); ++q) values.push_back(nats(draws.sums[b * ks().size() + q]));
      if (correlation_) values.push_back(draws.wide[b]);
    }
    first += drawn, count -= drawn;
  };
  if (first == 0 && !first_.sources.empty() && first_.sources.size() <= count * near_rows())
    append(evaluated(std::exchange(first_, {}), 0));
  if (count > 0) append(evaluated({draw(first, count), {}, {}}, first));
  return values;
}

}  // namespace macmi::citest
