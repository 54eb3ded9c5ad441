#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "knn/sample.hpp"

namespace macmi::citest {

/// Columns that the wide look takes of one variable, at most: each costs a degree of freedom for every column of the
/// other variable, and time.
std::size_t most_wide_columns(std::size_t n);

/// The columns of zeros and ones that stand for the categories of a block. A rare level has no column of its own: it is
/// merged with the others of its kind into the level that all others are compared with.
struct LevelColumns {
  static constexpr std::size_t least_samples = 5;  ///< of a level with a column of its own

  /// The most frequent levels, at most `room` of them.
  LevelColumns(const std::vector<std::int32_t>& category, std::size_t room);

  std::vector<std::size_t> column;  ///< of each level; `count`: none
  std::size_t count = 0;
};

}  // namespace macmi::citest
