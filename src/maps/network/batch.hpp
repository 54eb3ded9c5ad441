#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

namespace macmi::maps {

/// All samples of a training as the networks see them, coded and scaled; views of memory that outlives them.
struct NetworkSamples {
  std::size_t samples = 0;
  std::vector<std::span<const float>> values;          ///< per group [samples][features][steps · width]
  std::vector<std::span<const std::uint8_t>> present;  ///< per group [samples][features][steps]; empty: all steps there
  std::span<const std::uint8_t> known;                 ///< [samples][features]; empty: all known
  std::span<const float> target;                       ///< [samples][numbers]; empty where only maps are wanted
};

/// Masks W, each of one sample of a batch: the features they keep, in increasing order.
struct MaskRows {
  std::vector<std::uint32_t> sample;    ///< k of every mask
  std::vector<std::uint32_t> first{0};  ///< where its features begin in `kept`; one more at the end
  std::vector<std::uint32_t> kept;

  std::size_t size() const { return sample.size(); }
  std::span<const std::uint32_t> features(std::size_t mask) const {
    return std::span(kept).subspan(first[mask], first[mask + 1] - first[mask]);
  }
  void add(std::uint32_t of_sample, std::span<const std::uint32_t> features) {
    sample.push_back(of_sample);
    kept.insert(kept.end(), features.begin(), features.end());
    first.push_back(static_cast<std::uint32_t>(kept.size()));
  }
};

/// "Shuffle x_i" of Algorithm 2: the batch's sample that lends its x_i to the sample of a mask.
struct SwappedFeature {
  std::uint32_t feature, lender;
};

/// Samples of a training step with their masks, one or several each, and for every mask the swaps of the regulariser.
struct TrainingBatch {
  std::vector<std::uint32_t> rows;  ///< of NetworkSamples
  MaskRows masks;
  std::vector<std::uint32_t> first_swap;  ///< per mask, one more at the end; empty: no regulariser
  std::vector<SwappedFeature> swaps;

  std::span<const SwappedFeature> swaps_of(std::size_t mask) const {
    if (first_swap.empty()) return {};
    return std::span(swaps).subspan(first_swap[mask], first_swap[mask + 1] - first_swap[mask]);
  }
};

}  // namespace macmi::maps
