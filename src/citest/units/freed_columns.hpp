#pragma once
#include <Eigen/Core>
#include <memory>

#include "citest/remainders/remainders.hpp"
#include "citest/units/row_units.hpp"
#include "macmi/ci_test.hpp"
#include "macmi/variable.hpp"

namespace macmi::citest {

/// The remainder of the columns of one variable given z, made orthonormal where it has several.
struct FreedColumns {
  Eigen::MatrixXd all;     ///< of the samples as they are; of few units, of what varies within them
  Eigen::MatrixXd curves;  ///< of the square and cube of a single column of numbers
  Eigen::MatrixXd within;  ///< of what varies within units; without columns where `all` is that
  double left = 1;         ///< the share of its variance that z leaves
};

/// x and y freed of z by least squares, in a way that units allow: a regression sees no more independent samples than
/// there are clusters, however many samples these have. So the columns of z take part, and of their curves and products
/// those alone that explain x or y beyond what the spread between clusters would (a product summed over each cluster,
/// against the root of the sum of its squares); terms of either are taken out of both (double selection, as in
/// Remainders); and a quarter of the clusters is the most there can be. Few units have each a regression of their own:
/// what differs between units would else stay in both remainders, and shifts within units would not keep it there.
struct FreedPair {
  FreedColumns x, y;
  std::size_t fitted = 0;           ///< parameters of the regression of `all`
  std::size_t fitted_within = 0;    ///< of the other one, without the means of units
  bool asks_all = true;             ///< false: z has too many columns for so few clusters, `within` alone can be asked
  bool asks_any = true;             ///< false: nor can that
  std::shared_ptr<const ZTerms> z;  ///< nothing where nothing is given
};

FreedPair freed_of(const Variable& x, const Variable& y, const Variable& z, const RowUnits& units,
                   const Clusters& clusters, TestMemory* memory);

/// Takes the mean of each unit out of every column.
void centre_within(const RowUnits& units, Eigen::MatrixXd& columns);

}  // namespace macmi::citest
