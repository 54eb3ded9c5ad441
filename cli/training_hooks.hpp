#pragma once
#include <string>

#include "macmi/maps.hpp"
#include "progress_line.hpp"

namespace macmi::cli {

/// Tells on the line how the learning of feature maps goes; notes are lines of their own unless `quiet`. Ctrl-C stops
/// the training. Checkpoints stay in `folder`, if it is named.
MapsHooks training_hooks(ProgressLine& line, bool quiet, std::string folder);

}  // namespace macmi::cli
