#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "macmi/variable.hpp"

namespace macmi::citest {

using FoldRows = std::vector<std::size_t>;

/// The samples of each fold, folds in increasing order of their numbers; one of all samples when `folds` is empty.
std::vector<FoldRows> split_by_fold(std::span<const std::int32_t> folds, std::size_t n);

/// Some samples of a variable, copied.
class VariableRows {
 public:
  VariableRows(const Variable& variable, const FoldRows& rows);
  const Variable& view() const { return view_; }

 private:
  std::vector<std::vector<double>> numbers_;
  std::vector<std::vector<std::int32_t>> codes_;
  Variable view_;
};

}  // namespace macmi::citest
