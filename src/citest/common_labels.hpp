#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "macmi/variable.hpp"

namespace macmi::citest {

/// A variable as a test with numbers in it sees it. A column of labels nearly identifies rows where most samples share
/// their label with fewer than `few` others. Neighbourhoods within such a label hold next to nothing, and local
/// permutations, which may take a neighbour's label twice, bring together what was apart: all labels of fewer than
/// `common` samples count as one. A coarser x or y is independent of what the finer one is independent of, so that the
/// test keeps its level.
class CommonLabels {
 public:
  static constexpr std::size_t few = 5, common = 20;

  explicit CommonLabels(const Variable& variable);
  CommonLabels(const CommonLabels&) = delete;
  CommonLabels& operator=(const CommonLabels&) = delete;

  const Variable& view() const { return view_; }
  /// One for every column that nearly identifies rows.
  const std::vector<std::string>& notes() const { return notes_; }

 private:
  std::vector<std::vector<std::int32_t>> merged_;
  std::vector<std::string> notes_;
  Variable view_;
};

/// Says so of the columns of z, which stay as they are.
std::vector<std::string> notes_on_labels(const Variable& z);

}  // namespace macmi::citest
