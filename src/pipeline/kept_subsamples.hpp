#pragma once
#include "blanket/light_search.hpp"
#include "macmi/run.hpp"
#include "macmi/select.hpp"

namespace macmi {

/// Keeps in the run what is selected on subsamples, one file for each. It is used again where features and options are
/// the same; light searches (`from`), where their start is the same, too. The run must outlive it.
SubsampleMemory kept_subsamples(Run& run, const Dataset& data, const SelectOptions& options,
                                const KnownAnswer* from = nullptr);

}  // namespace macmi
