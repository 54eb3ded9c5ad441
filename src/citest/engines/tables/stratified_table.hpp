#pragma once
#include <cstdint>
#include <span>
#include <vector>

#include "knn/sample.hpp"

namespace macmi::citest {

/// Samples of categories as a table of x and y in every stratum, which is a combination of categories of z. Strata in
/// which x or y is constant are left out: they add nothing to any statistic of dependence, observed or drawn. Only
/// levels that a stratum has are listed, so that many labels take no more room than the samples.
class StratifiedTable {
 public:
  struct Level {
    std::uint32_t code, samples;
  };
  struct Stratum {
    std::uint32_t samples;
    std::span<const Level> rows, columns;  ///< levels of x and y, the most frequent last
  };

  explicit StratifiedTable(const knn::JointSample& sample);
  StratifiedTable(const StratifiedTable&) = delete;
  StratifiedTable& operator=(const StratifiedTable&) = delete;

  const std::vector<Stratum>& strata() const { return strata_; }
  /// Calls use(code of x, code of y, samples) for every cell that has some.
  template <class Use>
  void each_cell(Use use) const {
    for (const Cell& cell : cells_) use(cell.x, cell.y, cell.samples);
  }

 private:
  struct Cell {
    std::uint32_t x, y, samples;
  };
  struct Part {
    std::size_t rows, columns;
  };
  void add_stratum(const knn::JointSample& sample, std::span<const std::uint32_t> by_x,
                   std::span<const std::uint32_t> by_y, std::vector<Part>& ends);

  std::vector<Level> rows_, columns_;
  std::vector<Cell> cells_;
  std::vector<Stratum> strata_;
};

}  // namespace macmi::citest
