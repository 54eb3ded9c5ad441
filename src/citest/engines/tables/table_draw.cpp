#include "citest/engines/tables/table_draw.hpp"

#include <algorithm>

#include "base/vector/elementary.hpp"

namespace macmi::citest {

TableDraws::TableDraws(std::size_t largest_stratum) : log_factorial_(largest_stratum + 1) {
  double sum = 0, lost = 0;  // Kahan's summation: a million logarithms keep their digits
  for (std::size_t m = 2; m <= largest_stratum; ++m) {
    const double term = base::exact_log(static_cast<double>(m)) - lost, next = sum + term;
    lost = (next - sum) - term;
    log_factorial_[m] = sum = next;
  }
}

std::uint32_t TableDraws::hypergeometric(std::uint32_t total, std::uint32_t marked, std::uint32_t taken,
                                         base::RandomStream& random) const {
  const std::uint32_t unmarked = total - marked;
  const std::uint32_t low = taken > unmarked ? taken - unmarked : 0, high = std::min(taken, marked);
  if (low == high) return low;
  const auto mode =
      static_cast<std::uint32_t>((std::uint64_t{taken} + 1) * (std::uint64_t{marked} + 1) / (std::uint64_t{total} + 2));
  const std::vector<double>& f = log_factorial_;
  const double at_mode = base::exact_exp((f[marked] + f[unmarked] + f[taken] + f[total - taken] - f[total]) -
                                         (f[mode] + f[marked - mode] + f[taken - mode] + f[unmarked - (taken - mode)]));
  double rest = random.uniform() - at_mode;
  if (rest < 0) return mode;
  // Upwards and downwards in turn, each probability from the one beside it; as doubles, for speed.
  const auto a = static_cast<double>(marked), t = static_cast<double>(taken), u = static_cast<double>(unmarked) - t;
  double above = at_mode, below = at_mode, up = static_cast<double>(mode), down = up;
  const auto least = static_cast<double>(low), most = static_cast<double>(high);
  while (up < most || down > least) {
    if (up < most) {
      above *= (a - up) * (t - up) / ((up + 1) * (u + up + 1));
      ++up;
      if ((rest -= above) < 0) return static_cast<std::uint32_t>(up);
    }
    if (down > least) {
      below *= down * (u + down) / ((a - down + 1) * (t - down + 1));
      --down;
      if ((rest -= below) < 0) return static_cast<std::uint32_t>(down);
    }
  }
  return mode;  // by rounding alone
}

}  // namespace macmi::citest
