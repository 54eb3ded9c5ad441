#pragma once
#include <cstddef>
#include <functional>
#include <string>

namespace macmi {

/// Where a long piece of work is: the search and training alike.
struct Progress {
  std::string stage;  ///< "marginal screen", "training, fold 2 of 5"
  std::string unit;   ///< of the counts below: "tests", "epochs"
  std::size_t done = 0;
  std::size_t expected = 0;  ///< in all; a forecast where it cannot be known
  std::size_t stored = 0;    ///< of those done, the ones that an earlier process had done
  std::string current;       ///< the piece of work at hand: "x3 given x1, x5"
  std::string pace = {};     ///< where several ranks work: "40 per second on 4 ranks"
};

/// False asks the work to stop; it ends with Cancelled.
using ProgressCallback = std::function<bool(const Progress&)>;

}  // namespace macmi
