#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "knn/sample.hpp"

namespace macmi {

/// Coordinates are whole numbers, so distances and their ties are exact in any order of evaluation. Differences are at
/// most lattice_range.
inline constexpr std::int32_t lattice_range = std::int32_t{1} << 29;

struct LatticeBlock {
  std::vector<std::vector<std::int32_t>> columns;
  std::vector<std::int32_t> category;  ///< as in Block
};

/// A JointSample on the lattice: one unit for all columns, 2⁻²⁹ of the widest one. Columns whose values lie on a
/// regular grid (counts, ratings, rounded measurements) stay on one, so that equal differences stay equal; scaling
/// has blurred them by rounding.
struct LatticeSample {
  std::size_t n = 0;
  LatticeBlock x, y, z;
  /// Units per typical spread of the column that is resolved least: small when outliers stretch the range so far that
  /// most values fall on few lattice points.
  double resolution = 0;
};

LatticeSample to_lattice(const JointSample& sample);

/// The same points as doubles (exact), for the general neighbour searches.
JointSample as_joint_sample(const LatticeSample& sample);

}  // namespace macmi
