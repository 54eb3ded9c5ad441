#pragma once
#include <cstddef>

namespace macmi::citest {

/// The last scale of a test, if it takes the wide look (ResidualCorrelation).
enum class WideLook {
  none,
  correlation,  ///< between two single columns: counts to either side
  trace,        ///< Pillai's, between blocks of columns, as its cube root: only large ones count
};

/// With the number of canonical correlations that a trace sums.
struct WideScale {
  WideLook look = WideLook::none;
  std::size_t directions = 1;
};

}  // namespace macmi::citest
