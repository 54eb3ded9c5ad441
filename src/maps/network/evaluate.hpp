#pragma once
#include <span>
#include <vector>

#include "maps/network/objective.hpp"

namespace macmi::maps {

// Outputs of trained networks, without gradients. The caller loads the parameters into the Objective before.

/// The maps of some samples, [rows][map columns].
std::vector<float> map_samples(Objective& networks, const NetworkSamples& samples, std::span<const std::uint32_t> rows);

/// The surrogate's predictions from the maps of some samples [samples][columns], every one with the same features kept,
/// [samples][predictions].
std::vector<float> predict_from_maps(Objective& networks, std::span<const float> maps,
                                     std::span<const std::uint32_t> kept);

/// The surrogate's predictions from all maps that each sample has, [rows][predictions].
std::vector<float> predict_samples(Objective& networks, const NetworkSamples& samples,
                                   std::span<const std::uint32_t> rows);

}  // namespace macmi::maps
