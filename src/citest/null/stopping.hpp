#pragma once
#include <cstddef>
#include <string>

#include "citest/null/fitted_tail.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {

/// Permutations between two looks.
inline constexpr std::size_t look_every = 64;

/// The evidence after `drawn` permutations.
struct NullSoFar {
  std::size_t drawn = 0;
  std::size_t exceedances = 0;
  double effect = 0;        ///< nats
  double effect_error = 0;  ///< its standard error from finitely many permutations
  FittedTail tail = {};     ///< of the permuted scores; needed where there is a smallest level
};

/// Why to stop now, or nothing.
///
/// exact: p = (1 + E) / (B + 1) at the end, with E between `exceedances` and `exceedances` + what is left to draw: stop
/// when all of that range lies on one side of alpha.
///
/// fast: let q be the p-value of infinitely many permutations. Exceedances are Binomial(drawn, q), so wrongly deciding
/// "dependent" at one look when q > alpha has at most the probability P(Bin(drawn, alpha) ≤ exceedances), and likewise
/// for "independent". Each look may spend an equal share of the resampling risk on either side (a simple case of
/// Gandy 2009). With a threshold on the effect, an effect 5 standard errors below it also ends the test. With a
/// smallest level, alpha does not decide: a test ends when its fitted p-value is clear of that level, below it or so
/// far above it that Benjamini and Hochberg's procedure over many features will hardly compare it with anything that
/// small.
std::string reason_to_stop(const TestOptions& options, const NullSoFar& evidence);

/// How many permutations to draw next. Few at first, so that clear cases end soon; then many, so that what is per
/// sample is shared: under `exact` all that are left as long as p is below alpha, because a dependence is decided by
/// the last ones only. Results do not depend on it: the looks are the same. `rows` bounds the memory.
std::size_t next_permutations(const TestOptions& options, std::size_t drawn, std::size_t exceedances, std::size_t rows);

/// P(Bin(n, p) ≤ k), summed term by term.
double binomial_cdf(std::size_t k, std::size_t n, double p);

}  // namespace macmi::citest
