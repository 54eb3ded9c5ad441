#pragma once
#include <cstdint>
#include <functional>
#include <memory>
#include <string>

#include "macmi/select.hpp"

namespace macmi {

class TrainingTeam;

}  // namespace macmi

namespace macmi::experiments {

/// Other processes that take part in an experiment. Only the one that runs it writes its directory.
struct ExperimentTeam {
  std::size_t size = 1;  ///< tests or measurements at a time
  TrainingTeam* training = nullptr;
  /// A measurement by whichever process is free: one of the others makes it from its text, this one calls `here`.
  std::function<std::string(const std::string& measurement, const std::function<std::string()>& here)> measure;
  /// The test on all processes; the others know its options by its number.
  std::function<std::unique_ptr<TargetCiTest>(const SelectionTest& test, std::uint64_t number)> spread;
};

}  // namespace macmi::experiments
