#include "citest/null/stopping.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace macmi::citest {
namespace {

std::string curtailed(const TestOptions& o, const NullSoFar& e) {
  const double total = static_cast<double>(o.permutations) + 1;
  const std::size_t left = o.permutations - e.drawn;
  if ((1 + static_cast<double>(e.exceedances)) / total > o.alpha) return "p can no longer be as small as alpha";
  if ((1 + static_cast<double>(e.exceedances + left)) / total <= o.alpha) return "p can no longer exceed alpha";
  return {};
}

/// Thresholds of Benjamini and Hochberg's procedure rise with every feature found: up to this multiple of the smallest
/// one a p-value is still worth its permutations.
constexpr double worth_resolving = 10;

/// Permutations after which more of them hardly change a fitted p-value (docs/benchmarks/small_p.md).
constexpr std::size_t enough_for_a_fit = 4 * look_every;

/// The rule with a smallest level. Below it and above all that p may have to be compared with are the two ends; which
/// side of alpha a p-value between them is on is left to the permutations drawn so far.
std::string clear_of_levels(const TestOptions& o, const NullSoFar& e, double share) {
  if (e.exceedances == 0 && e.drawn >= 2 * look_every && e.tail.high <= o.smallest_level)
    return "p is below the smallest level that counts, all but certainly";
  const double above = std::max(o.smallest_level, std::min(worth_resolving * o.smallest_level, o.alpha / 2));
  const bool counted_above = e.exceedances > 0 && 1 - binomial_cdf(e.exceedances - 1, e.drawn, above) <= share;
  if (e.tail.low > above || counted_above) return "p is above every level that counts, all but certainly";
  if (e.drawn >= enough_for_a_fit && binomial_cdf(e.exceedances, e.drawn, o.alpha) <= share)
    return "p is below alpha, all but certainly, and known as well as a fit can tell";
  return {};
}

std::string all_but_certain(const TestOptions& o, const NullSoFar& e) {
  if (o.min_cmi > 0 && e.effect + 5 * e.effect_error < o.min_cmi) return "the effect is clearly below min-cmi";
  const auto looks = static_cast<double>(std::max<std::size_t>(1, (o.permutations - 1) / look_every));
  const double share = o.resampling_risk / looks;
  if (o.smallest_level > 0 && !std::isnan(e.tail.p)) return clear_of_levels(o, e, share);
  if (binomial_cdf(e.exceedances, e.drawn, o.alpha) <= share) return "p is below alpha, all but certainly";
  if (e.exceedances > 0 && 1 - binomial_cdf(e.exceedances - 1, e.drawn, o.alpha) <= share)
    return "p is above alpha, all but certainly";
  return {};
}

}  // namespace

double binomial_cdf(std::size_t k, std::size_t n, double p) {
  if (k >= n || p <= 0) return 1;
  if (p >= 1) return 0;
  const double odds = p / (1 - p);
  double log_term = static_cast<double>(n) * std::log1p(-p), sum = std::exp(log_term);
  for (std::size_t i = 1; i <= k; ++i) {
    log_term += std::log(static_cast<double>(n - i + 1) / static_cast<double>(i) * odds);
    sum += std::exp(log_term);
  }
  return std::min(sum, 1.0);
}

namespace {

/// To a multiple of `portion` or, where it is less than one, of the permutations of a look.
std::size_t rounded_down(std::size_t count, std::size_t portion) {
  const std::size_t unit = count >= portion ? portion : look_every;
  return count / unit * unit;
}

}  // namespace

std::size_t next_permutations(const TestOptions& options, std::size_t drawn, std::size_t exceedances,
                              std::size_t rows) {
  // Engines of bits take 512 permutations at once: of more, whole portions of these.
  constexpr std::size_t most_sources = std::size_t{1} << 25, some = 4 * look_every, portion = 8 * look_every,
                        many = 2 * portion;
  const bool decided_late = options.stop == StopRule::never ||
                            (options.stop == StopRule::exact &&
                             static_cast<double>(1 + exceedances) <= options.alpha * static_cast<double>(1 + drawn));
  std::size_t count = look_every;
  if (options.stop == StopRule::never || drawn >= 2 * look_every)
    count = std::clamp(rounded_down(most_sources / rows, portion), look_every, decided_late ? many : some);
  return std::min<std::size_t>(count - drawn % look_every, options.permutations - drawn);
}

std::string reason_to_stop(const TestOptions& options, const NullSoFar& evidence) {
  if (evidence.drawn >= options.permutations) return "all permutations drawn";
  switch (options.stop) {
    case StopRule::never:
      return {};
    case StopRule::exact:
    case StopRule::automatic:  // resolved before, where samples are many
      return curtailed(options, evidence);
    case StopRule::fast:
      return all_but_certain(options, evidence);
  }
  return {};
}

}  // namespace macmi::citest
