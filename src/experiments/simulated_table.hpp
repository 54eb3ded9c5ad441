#pragma once
#include <string>
#include <vector>

namespace macmi {

/// A simulated data set, and what is true of it in words.
struct SimulatedTable {
  std::vector<std::string> names;
  std::vector<std::vector<double>> columns;
  std::string truth;
};

}  // namespace macmi
