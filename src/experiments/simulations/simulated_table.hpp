#pragma once
#include <string>
#include <vector>

namespace macmi::experiments {

/// A simulated data set, and what is true of it in words.
struct SimulatedTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::string truth;
  /// By column: the words of its labels, where its numbers are codes 0, 1, … of them. May be shorter than the columns.
  std::vector<std::vector<std::string>> labels = {};
};

}  // namespace macmi::experiments
