#include <algorithm>
#include <cmath>

#include "macmi/blanket.hpp"

namespace macmi {
namespace {

double choose(double n, double k) {
  double product = 1;
  for (double i = 0; i < k; ++i) product *= std::max(0.0, n - i) / (i + 1);
  return product;
}

std::size_t rounded(double tests) {
  return static_cast<std::size_t>(std::min(std::ceil(tests), 9e15));
}

}  // namespace

TestForecast forecast_tests(std::size_t features, std::size_t candidates, std::size_t level,
                            const SearchOptions& options) {
  const double m = static_cast<double>(features), delta = static_cast<double>(options.delta);
  double all = static_cast<double>(candidates), left = all, at_most = 0, expected = 0;
  for (double c = static_cast<double>(level); c <= std::min(delta, m - 1); ++c) {
    // Of those that fall, most fall early: sets of the strongest features come first.
    const double survivors = left * 2 / 3, fallen = left - survivors;
    at_most += all * choose(all - 1, c);
    expected += c == 0 ? left : survivors * choose(std::max(c, survivors - 1), c) + fallen * choose(left - 1, c) / 8;
    left = survivors;
  }
  if (!options.no_children) {
    at_most += m + (options.no_shrink ? 0 : m);
    expected += m - left + (options.no_shrink ? 0 : left);
  }
  return {rounded(std::min(expected, at_most)), rounded(at_most)};
}

}  // namespace macmi
