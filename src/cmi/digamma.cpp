#include "cmi/digamma.hpp"

#include <cmath>
#include <limits>

namespace macmi::estimation {

double digamma(double m) {
  double shift = 0;
  while (m < 12) {
    shift -= 1 / m;
    m += 1;
  }
  const double f = 1 / (m * m);
  const double series =
      f * (1. / 12 - f * (1. / 120 - f * (1. / 252 - f * (1. / 240 - f * (1. / 132 - f * (691. / 32760))))));
  return shift + std::log(m) - 0.5 / m - series;
}

std::vector<double> digamma_table(std::size_t n) {
  std::vector<double> table(n + 1, std::numeric_limits<double>::quiet_NaN());
  for (std::size_t m = 1; m <= n; ++m) table[m] = digamma(static_cast<double>(m));
  return table;
}

}  // namespace macmi::estimation
