#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

namespace macmi::knn {

/// One of x, y, z as the neighbour searches see it: finite coordinates ready for the max-norm, column by column, and
/// the category of each sample (dense codes 0, 1, …; empty when there are no categories). Samples of different category
/// are infinitely far apart.
struct Block {
  std::vector<std::vector<double>> columns;
  std::vector<std::int32_t> category;
};

/// The samples of one estimate. z may be without columns and categories: nothing is conditioned on.
struct JointSample {
  std::size_t n = 0;
  Block x, y, z;
};

}  // namespace macmi::knn
