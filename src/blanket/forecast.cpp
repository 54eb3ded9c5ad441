// How many tests a search will make.
#include <algorithm>
#include <cmath>

#include "blanket/search.hpp"

namespace macmi::blanket {
namespace {

double choose(double n, double k) {
  double product = 1;
  for (double i = 0; i < k; ++i) product *= std::max(0.0, n - i) / (i + 1);
  return product;
}

std::size_t rounded(double tests) {
  return static_cast<std::size_t>(std::min(std::ceil(tests), 9e15));
}

/// Features that survive tests given one other, as a rule: a graph does not grow denser with its nodes. Only a guess
/// until the first level says how many do.
constexpr double typical_members = 10;
/// Tests that a feature lasts which falls at a level: sets of the strongest come first, so most fall early.
constexpr double lasts = 4;
/// Sweeps over all features given the members: at the start, and when nothing more seems to change, which is now and
/// then not the end.
constexpr double sweeps = 2.2, after_the_first = sweeps - 1, after_another = 0.3;
/// Tests of each member, which changes of the others bring about.
constexpr double repeats = 4;

}  // namespace

std::size_t entering_next_level(std::size_t candidates, std::size_t passed, std::size_t fallen) {
  constexpr std::size_t enough = 10;  // decided candidates that say how many stay
  const double decided = static_cast<double>(passed + fallen), in_doubt = static_cast<double>(candidates - passed);
  const double kept = (static_cast<double>(passed) + typically_kept) / (decided + 1);
  double entering = static_cast<double>(passed) + kept * in_doubt;
  if (passed + fallen < enough) entering = std::min(entering, std::max(static_cast<double>(passed), typical_members));
  return rounded(entering);
}

/// Of the candidates ahead those that stay meet all sets of the others that stay; those that fall last as long as the
/// ones did that fell, counted together with one that lasted a typical time.
double tests_of_level(const LevelSoFar& level) {
  const double ahead = static_cast<double>(level.ahead), size = static_cast<double>(level.size);
  const double passed = static_cast<double>(level.passed), fallen = static_cast<double>(level.fallen);
  const double entering =
      static_cast<double>(entering_next_level(level.passed + level.ahead, level.passed, level.fallen));
  const double staying = std::clamp(entering - passed, 0.0, ahead);
  const double lasted = (lasts * size + static_cast<double>(level.tests_of_fallen)) / (1 + fallen);
  const double falling = std::min(lasted, choose(static_cast<double>(level.others), size));
  return staying * choose(std::max(size, entering - 1), size) + (ahead - staying) * falling;
}

double sweeps_to_come(bool sweep_under_way, std::size_t sweeps_before) {
  if (!sweep_under_way) return sweeps_before == 0 ? sweeps : after_the_first;
  return sweeps_before == 0 ? after_the_first : after_another;
}

double repeats_given(std::size_t members) {
  return repeats * static_cast<double>(members);
}

}  // namespace macmi::blanket

namespace macmi {

TestForecast forecast_tests(std::size_t features, std::size_t candidates, std::size_t level,
                            const SearchOptions& options, double kept) {
  const double m = static_cast<double>(features), delta = static_cast<double>(options.delta);
  TestForecast forecast;
  double all = static_cast<double>(candidates), left = all, at_most = 0;
  const auto expect = [&](double size, double tests) {
    const auto place = static_cast<std::size_t>(size);
    if (forecast.by_level.size() <= place) forecast.by_level.resize(place + 1);
    forecast.by_level[place] += tests;
  };
  for (double c = static_cast<double>(level); c <= std::min(delta, m - 1); ++c) {
    double staying = left * kept;
    if (c == 0) staying = std::min(staying, 4 * std::sqrt(m));  // of many features most are far from the target
    if (c > 0 && level <= 1) staying = std::min(staying, blanket::typical_members);
    at_most += all * blanket::choose(all - 1, c);
    if (c == 0)
      expect(c, left);
    else
      expect(c, staying * blanket::choose(std::max(c, staying - 1), c) +
                    (left - staying) * std::min(blanket::lasts * c, blanket::choose(left - 1, c)));
    left = staying;
  }
  if (!options.no_children) {
    const bool together = options.asks_all_together();
    at_most += together ? 4 * m : m + (options.no_shrink ? 0 : m);
    expect(std::ceil(left),
           together ? blanket::sweeps * m + blanket::repeats * left : m - left + (options.no_shrink ? 0 : left));
  }
  double expected = 0;
  for (const double tests : forecast.by_level) expected += tests;
  forecast.expected = blanket::rounded(std::min(expected, at_most));
  forecast.at_most = blanket::rounded(at_most);
  return forecast;
}

}  // namespace macmi
