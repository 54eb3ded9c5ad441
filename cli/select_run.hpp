#pragma once
#include <memory>
#include <string>

#include "macmi/dataset.hpp"
#include "macmi/run.hpp"

namespace macmi::cli {

/// The value of --run, and what bears on it.
struct RunRequest {
  std::string directory;  ///< as given; "none": nothing is kept
  bool json = false;      ///< without --run, a result on standard output leaves no files behind
  bool quiet = false;
};

/// The run of a selection, or nothing. What the user should know goes to standard error.
std::unique_ptr<Run> open_run(const RunRequest& request, const RunSubject& subject, const DataOptions& data);

/// The message for somebody who interrupted a selection: what is kept, and what goes on with it. `how` it ended.
std::string interruption_text(const Run* run, const std::string& command, const std::string& how = "interrupted");

}  // namespace macmi::cli
