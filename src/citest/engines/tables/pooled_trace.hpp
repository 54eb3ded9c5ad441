#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "citest/engines/tables/stratified_table.hpp"
#include "citest/null/level_columns.hpp"

namespace macmi::citest {

/// ResidualCorrelation between categories given categories, from counts alone. With D the table of x and y summed over
/// all strata less what the margins of each stratum let expect, and Cx, Cy the sums of products of the columns of x and
/// of y within strata, Pillai's trace is V = tr(Cx⁻¹ D Cy⁻¹ Dᵀ): n times it is Pearson's χ² where nothing is given, and
/// close to the generalised Cochran-Mantel-Haenszel statistic else. It spends as many degrees of freedom as one table
/// has, however many strata there are. Strata in which x or y is constant count in none of the sums. Margins never
/// change, so that a drawn table costs a few products per cell.
class PooledTrace {
 public:
  PooledTrace(const StratifiedTable& table, LevelColumns x, LevelColumns y);

  /// Where samples of these levels count in a pooled table of `places` numbers.
  std::size_t place(std::uint32_t x, std::uint32_t y) const { return x_.column[x] * (y_.count + 1) + y_.column[y]; }
  std::size_t places() const { return (x_.count + 1) * (y_.count + 1); }
  /// How many canonical correlations there can be.
  std::size_t directions() const { return std::min(x_.count, y_.count); }

  /// V of a pooled table.
  double of(std::span<const std::uint32_t> pooled) const;
  /// The correlation whose square it is, where x and y have one column each.
  double signed_correlation(std::span<const std::uint32_t> pooled) const;

 private:
  LevelColumns x_, y_;
  std::vector<double> expected_;  ///< [column of x][column of y]
  std::vector<double> x_root_,
      y_root_;  ///< the inverse of Cholesky's factor of Cx and of Cy; rows of 0 beyond its rank
};

}  // namespace macmi::citest
