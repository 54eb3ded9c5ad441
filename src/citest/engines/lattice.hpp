#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "knn/sample.hpp"

namespace macmi::citest {

/// Coordinates are whole numbers, so distances and their ties are exact in any order of evaluation. Differences are at
/// most the lattice's range: one whose distances fit 16-bit vector lanes, and a finer one for 32-bit lanes.
inline constexpr std::int32_t narrow_lattice = 32254;
inline constexpr std::int32_t wide_lattice = std::int32_t{1} << 29;

struct LatticeBlock {
  std::vector<std::vector<std::int32_t>> columns;
  std::vector<std::int32_t> category;  ///< as in Block
};

/// A JointSample on a lattice: one unit for all columns, 1/range of the widest one. Columns whose values lie on a
/// regular grid (counts, ratings, rounded measurements) stay on one, so that equal differences stay equal; scaling has
/// blurred them by rounding.
struct LatticeSample {
  std::size_t n = 0;
  LatticeBlock x, y, z;
  std::int32_t range = wide_lattice;
  double unit = 1;         ///< in the coordinates of the JointSample
  bool grids_kept = true;  ///< false: some grid is too fine for the lattice and was treated as continuous

  std::int32_t apart() const { return range + 1; }  ///< the distance between different categories
};

LatticeSample to_lattice(const knn::JointSample& sample, std::int32_t range);

/// The median of the distances from some samples to their k-th neighbour in (x, y, z), of those above 0, in units of
/// the lattice: how finely it resolves the neighbourhoods. Infinite when all are at 0.
double median_radius(const knn::JointSample& sample, std::size_t k, double unit);

/// The same points as doubles (exact), for the general neighbour searches.
knn::JointSample as_joint_sample(const LatticeSample& sample);

}  // namespace macmi::citest
