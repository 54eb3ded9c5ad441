#include "citest/fold_test.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <utility>

#include "base/parallel.hpp"
#include "citest/engines/choose_engine.hpp"
#include "citest/engines/spatial_order.hpp"
#include "citest/fold_problem.hpp"
#include "citest/neighbourhood_rows.hpp"
#include "citest/null/stopping.hpp"
#include "citest/permutation/z_regression.hpp"
#include "citest/shared_null.hpp"

namespace macmi::citest {
namespace {

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
      problem_(make_problem(exact_, prepared, options, smallest_fold, stream)),
      permutations_(z_on_fine_lattice(exact_), exact_.n, options.neighbours, threads_) {
  if (exact_.n < n_)
    others_.emplace(samples_between(prepared.sample, exact_.n, n_).z, n_ - exact_.n, options.neighbours);
  const bool regress = correlate.look != WideLook::none || !options.no_adjustment;
  const ZRegression regression(regress ? prepared.sample.z : knn::Block(), prepared.sample.n,
                               {&prepared.sample.x, &prepared.sample.y});
  if (!options.no_adjustment) trend_ = x_trend(prepared, regression);
  for (std::vector<double>& column : trend_) column.resize(exact_.n);
  problem_.x_trend = in_units(trend_, problem_.sample.unit);
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
