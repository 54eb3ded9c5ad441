#pragma once
#include <Eigen/Core>
#include <cstdint>
#include <span>
#include <vector>

#include "citest/units/freed_columns.hpp"
#include "citest/units/row_units.hpp"

namespace macmi::citest {

/// Do x and y vary together, as they are, within units, in curves, or where a column of z is large? Of every two
/// columns a and b: T = Σ_c S_c / √(Σ_c S_c²), S_c the sum of a b over cluster c: a generalised covariance measure
/// (Shah and Peters 2020) whose standard error allows for samples that belong together. Four groups of columns are
/// looked at:
///   all      what z leaves of x and of y
///   within   the same without the means of units, which sees a dependence within units through large unit effects
///   curves   single numbers' squares and cubes with the columns, and the two squares
///   weights  the columns with those of y times a column of z
/// A group's p is that of its largest T by Student's t with as many degrees of freedom as there are other clusters,
/// times their number, or that of all T² together, whichever is smaller, times two; over the group's share of the
/// level. The statistic is -log of the smallest p. Its own null distribution comes from permutations, so that p is no
/// more than a scale here.
class ClusteredCovariance {
 public:
  ClusteredCovariance(const FreedPair& pair, const Clusters& clusters, std::size_t units, bool exchange_y);

  /// The root of the trace (ResidualCorrelation) that as much information has: the scale of a wide look.
  double observed() const;
  double permuted(std::span<const std::uint32_t> source) const;
  bool empty() const { return groups_.empty(); }

 private:
  struct Group {
    std::vector<std::pair<Eigen::Index, Eigen::Index>> pairs;  ///< columns of `exchanged_` and of `fixed_`
    double share, freedom;                                     ///< freedom: of the samples, the share left to vary
  };
  double looked_at(std::span<const std::uint32_t> source, bool freed) const;
  std::vector<double> scores(std::span<const std::uint32_t> source) const;

  Clusters clusters_;
  Eigen::MatrixXd exchanged_, fixed_;
  std::vector<Group> groups_;
};

}  // namespace macmi::citest
