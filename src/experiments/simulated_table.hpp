#pragma once
#include <string>
#include <vector>

namespace macmi {

/// A simulated data set, and what is true of it in words.
struct SimulatedTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::string truth;
  std::vector<bool> categorical = {};  ///< columns of classes 0, 1, …; empty: none
};

}  // namespace macmi
