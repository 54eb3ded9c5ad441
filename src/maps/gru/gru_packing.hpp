#pragma once
#include <vector>

#include "base/vector/aligned.hpp"
#include "maps/gru/gru_kernel.hpp"

namespace macmi::maps {

/// The weights of every layer of one group, packed for the kernels.
class PackedGruGroup {
 public:
  PackedGruGroup(const GruShape& shape, std::span<const GruLayerWeights> weights, std::size_t group);
  const PackedGruLayer* layers() const { return layers_.data(); }

 private:
  std::vector<base::AlignedVector<float>> numbers_;
  std::vector<PackedGruLayer> layers_;
};

}  // namespace macmi::maps
