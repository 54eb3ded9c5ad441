#pragma once
#include <cmath>
#include <cstddef>

namespace macmi::study {

/// The probability of at most `count` of `n` at probability p each.
inline double binomial_at_most(std::size_t count, std::size_t n, double p) {
  double sum = 0;
  const auto total = static_cast<double>(n);
  for (std::size_t c = 0; c <= count && c <= n; ++c) {
    const auto k = static_cast<double>(c);
    sum += std::exp(std::lgamma(total + 1) - std::lgamma(k + 1) - std::lgamma(total - k + 1) + k * std::log(p) +
                    (total - k) * std::log1p(-p));
  }
  return sum < 1 ? sum : 1;
}

/// The largest count that is exceeded with a probability of at least `tail`.
inline std::size_t binomial_high(std::size_t n, double p, double tail) {
  std::size_t count = 0;
  while (count < n && 1 - binomial_at_most(count, n, p) >= tail) ++count;
  return count;
}

/// The smallest count below which there is a probability of at least `tail`; 0 where there is none.
inline std::size_t binomial_low(std::size_t n, double p, double tail) {
  std::size_t count = 0;
  while (binomial_at_most(count, n, p) < tail) ++count;
  return count;
}

}  // namespace macmi::study
