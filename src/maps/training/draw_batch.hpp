#pragma once
#include <span>

#include "base/random.hpp"
#include "maps/network/architecture.hpp"
#include "maps/network/batch.hpp"
#include "maps/training/masks.hpp"

namespace macmi::maps {

/// How the masks of a batch are drawn.
struct MaskDraw {
  MaskSampler& sampler;
  bool cover = false;  ///< several masks for each sample, which keep each feature once between them
};

/// Masks of some samples, without the features that a sample lacks.
MaskRows draw_masks(MaskDraw draw, base::RandomStream& random, const NetworkSamples& samples,
                    std::span<const std::uint32_t> rows);

/// A whole training batch (lines 3 to 6 of Algorithm 2): samples, masks and, where `with_swaps`, the swaps of the
/// regulariser; each feature's samples are shuffled by a permutation of its own. Features without a map of their own
/// (identity) are not swapped.
TrainingBatch draw_batch(const NetworkSamples& samples, std::vector<std::uint32_t> rows,
                         const Architecture& architecture, MaskDraw draw, base::RandomStream& random, bool with_swaps);

}  // namespace macmi::maps
