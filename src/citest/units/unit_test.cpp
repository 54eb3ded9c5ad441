#include "citest/units/unit_test.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <optional>

#include "base/f_distribution.hpp"
#include "base/parallel.hpp"
#include "citest/null/null_distribution.hpp"
#include "citest/null/null_trace.hpp"
#include "citest/null/stopping.hpp"
#include "citest/permutation/test_stream.hpp"
#include "citest/remainders/remainder_test.hpp"
#include "citest/units/autocorrelation.hpp"
#include "citest/units/clustered_covariance.hpp"
#include "citest/units/neighbour_look.hpp"
#include "citest/units/unit_exchange.hpp"
#include "macmi/error.hpp"

namespace macmi::citest {
namespace {

constexpr std::size_t most_neighbour_samples = 50000;  // beyond, clustered covariances alone

template <class Column>
bool constant_within(const Column& column, const RowUnits& units) {
  return std::all_of(units.rows.begin(), units.rows.end(), [&](const auto& own) {
    return std::all_of(own.begin(), own.end(), [&](std::uint32_t i) { return column[i] == column[own.front()]; });
  });
}

bool constant_within(const Variable& v, const RowUnits& units) {
  const auto holds = [&](const auto& column) { return constant_within(column, units); };
  return std::all_of(v.numeric().begin(), v.numeric().end(), holds) &&
         std::all_of(v.categorical().begin(), v.categorical().end(), holds);
}

bool is_constant(const Variable& v) {
  return constant_within(v, RowUnits::one_series(v.samples()));
}

/// A fitted tail takes permuted scores for independent of each other. Shifts that differ by less than a stretch give
/// nearly the same score: the p of so many deviations by Student's t instead, with half as many degrees of freedom as
/// there are independent scores (as FittedTail has them).
double of_fewer_values(double p, double values) {
  if (!(p > 0 && p < 1)) return p;
  double low = 0, high = 40;
  for (int step = 0; step < 60; ++step) {
    const double middle = (low + high) / 2;
    (base::normal_two_sided(middle) > p ? low : high) = middle;
  }
  return std::max(p, base::f_upper_tail(low * low, 1, std::max(1.0, values / 2)));
}

void check(const TestOptions& options, const TestContext& context, std::size_t n) {
  if (!context.folds.empty() || !context.score.empty() || context.tolerance != 0)
    throw InputError("tests of units do not know maps learned in folds; test the columns as they are (--maps none)");
  if (options.no_correlation)
    throw InputError("--no-correlation leaves nothing of a test of units given a column; leave it out");
  if (!context.one_series && context.units.size() != n)
    throw InputError(fmt::format("{} units were given for {} samples", context.units.size(), n));
}

class UnitTest {
 public:
  UnitTest(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
           const TestContext& context)
      : options_(options),
        context_(context),
        units_(context.one_series ? RowUnits::one_series(x.samples()) : RowUnits(context.units)),
        stretch_(units_.enough() ? 1 : stretch_of(x, y, units_)),
        clusters_(clusters_of(units_, stretch_)),
        exchange_y_(z.empty() && !constant_within(x, units_) && constant_within(y, units_)),
        stream_(test_stream(x, y, z, options, context, exchange_y_).with("units")),
        pair_(freed_of(x, y, z, units_, clusters_, context.memory)),
        exchange_(units_, constant_within(exchange_y_ ? y : x, units_) && constant_within(z, units_),
                  units_.count() == 1 ? stretch_ : 0, stream_),
        covariance_(pair_, clusters_, units_.count(), exchange_y_),
        constant_(is_constant(x) || is_constant(y)) {
    options_.transform = used_transform(x, y, z, options);
    options_.permutations = std::min<std::uint64_t>(options.permutations, exchange_.most_permutations());
    result_.n = x.samples();
    result_.conditioned = !z.empty();
    result_.rule = "covariance";
    result_.permuted = exchange_y_ ? "y" : "x";
    if (z.empty() && x.samples() <= most_neighbour_samples && tells()) {
      neighbours_.emplace(exchange_y_ ? y : x, exchange_y_ ? x : y, options_, exchange_.rearranges(), stream_);
      const TieRule ties = neighbours_->ties();
      result_.rule = ties == TieRule::mixed ? "mixed" : ties == TieRule::counts ? "counts" : "continuous";
    }
    add_notes();
  }

  CiResult run() {
    if (!tells()) return nothing_to_tell();
    std::vector<double> observed = neighbours_ ? neighbours_->observed() : std::vector<double>();
    if (neighbours_)
      for (std::size_t q = 0; q < observed.size(); ++q)
        result_.scales.push_back({.k = neighbours_->ks()[q], .statistic = observed[q]});
    result_.scales.push_back({.k = result_.n, .directions = 1});
    observed.push_back(covariance_.observed());
    NullDistribution null(observed, observed.size(), {WideLook::trace, 1});
    for (std::size_t drawn = 0;;) {
      if (context_.progress && !context_.progress(drawn, options_.permutations)) throw Cancelled();
      const std::size_t next = next_permutations(options_, drawn, null.exceedances(), result_.n);
      null.add(permuted(drawn, next));
      drawn += next;
      if (stop(null, drawn)) break;
    }
    judge(null, result_);
    if (units_.count() == 1)
      result_.tail_p = of_fewer_values(
          result_.tail_p, static_cast<double>(exchange_.most_permutations()) / static_cast<double>(stretch_));
    result_.null = null.trace();
    return result_;
  }

 private:
  bool tells() const { return !constant_ && !covariance_.empty() && pair_.asks_any; }

  CiResult nothing_to_tell() {
    if (!result_.undecidable)
      result_.notes.push_back(constant_ || units_.enough()
                                  ? "x or y is constant: nothing can depend on it"
                                  : "x or y is constant within units, and there are too few units to "
                                    "compare them with each other");
    result_.stopped = "no permutation needed";
    result_.k = result_.n;
    return result_;
  }

  /// Element [b * scales + q].
  std::vector<double> permuted(std::size_t first, std::size_t count) {
    const std::size_t n = result_.n, scales = result_.scales.size();
    std::vector<std::uint32_t> sources(count * n);
    std::vector<double> values(count * scales);
    base::parallel_for(count, 4, options_.threads, [&](std::size_t begin, std::size_t end) {
      for (std::size_t b = begin; b < end; ++b) {
        const auto source = std::span(sources).subspan(b * n, n);
        exchange_.draw(first + b, source);
        values[b * scales + scales - 1] = covariance_.permuted(source);
      }
    });
    if (!neighbours_) return values;
    const std::vector<double> near = neighbours_->permuted(sources);
    for (std::size_t b = 0; b < count; ++b)
      for (std::size_t q = 0; q + 1 < scales; ++q) values[b * scales + q] = near[b * (scales - 1) + q];
    return values;
  }

  bool stop(NullDistribution& null, std::size_t drawn) {
    while (null.looked() < drawn) {
      null.look(std::min((null.looked() / look_every + 1) * look_every, drawn));
      result_.stopped = reason_to_stop(options_, null, result_.rule == "counts");
      if (!result_.stopped.empty()) return true;
    }
    return false;
  }

  void add_notes() {
    constexpr double much = 0.1;
    if (context_.one_series)
      result_.notes.push_back(
          fmt::format("rows in the order of time: {} is shifted by {} rows and more, all else stays (docs/units.md)",
                      result_.permuted, stretch_));
    else if (units_.enough())
      result_.notes.push_back(fmt::format("{} units: they change places whole (docs/units.md)", units_.count()));
    else
      result_.notes.push_back(fmt::format(
          "{} units are too few to change places: {} is shifted within each, and how units differ from each "
          "other is not compared (docs/units.md)",
          units_.count(), result_.permuted));
    if (const double filled = exchange_.share_filled(); filled > much)
      result_.notes.push_back(
          fmt::format("units differ much in size: in a permutation {:.0f}% of the samples get values "
                      "from several units, and p-values may be too small",
                      100 * filled));
    if (neighbours_ && neighbours_->centres() < result_.n)
      result_.notes.push_back(
          fmt::format("neighbourhoods around {} of {} samples (--centres)", neighbours_->centres(), result_.n));
    if (pair_.z && !pair_.asks_all && pair_.asks_any)
      result_.notes.push_back(fmt::format(
          "z has too many columns for {} units: only what varies within units is compared", units_.count()));
    if (!pair_.asks_any) {
      result_.undecidable = true;
      result_.notes.push_back(
          fmt::format("z has too many columns for {} {}: neither dependence nor independence can be "
                      "told",
                      clusters_.count, units_.enough() ? "units" : "stretches of rows"));
    } else {
      note_what_is_left(pair_.x.left, pair_.y.left, result_);
    }
  }

  TestOptions options_;
  const TestContext& context_;
  RowUnits units_;
  std::size_t stretch_;
  Clusters clusters_;
  bool exchange_y_;
  base::StreamKey stream_;
  FreedPair pair_;
  UnitExchange exchange_;
  ClusteredCovariance covariance_;
  bool constant_;
  std::optional<NeighbourLook> neighbours_;
  CiResult result_;
};

}  // namespace

bool asks_units(const TestContext& context) {
  return context.one_series || !context.units.empty();
}

CiResult test_units(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                    const TestContext& context) {
  if (options.permutations == 0) throw InputError("--permutations must be at least 1");
  check(options, context, x.samples());
  CiResult result = UnitTest(x, y, z, options, context).run();
  result.judged_by = rules_of(options);
  return result;
}

}  // namespace macmi::citest
