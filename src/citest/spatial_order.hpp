#pragma once
#include "knn/sample.hpp"

namespace macmi {

/// The same samples with those near in z (in y when there is no z) next to each other, categories apart: what one
/// sample's neighbours need from memory, the next one's need too.
JointSample in_spatial_order(const JointSample& sample);

}  // namespace macmi
