#pragma once
#include "experiments/hdd_reproduction.hpp"
#include "progress_line.hpp"
#include "verb.hpp"

namespace macmi::cli {

/// `macmi reproduce hdd`: runs, writes into the directory `out` and prints.
void run_reproduce_hdd(const experiments::HddOptions& options, const std::string& out, const Output& output,
                       ProgressLine& line, const ProgressCallback& progress);

}  // namespace macmi::cli
