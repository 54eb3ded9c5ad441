#pragma once
#include "macmi/run.hpp"
#include "macmi/select.hpp"

namespace macmi::pipeline {

/// Keeps in the run what is selected on subsamples, one file for each. It is used again where features and options are
/// the same. The run must outlive it.
SubsampleMemory kept_subsamples(Run& run, const Dataset& data, const SelectOptions& options);

}  // namespace macmi::pipeline
