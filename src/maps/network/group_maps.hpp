#pragma once
#include <memory>
#include <span>

#include "maps/network/architecture.hpp"

namespace macmi::maps {

/// The coded values of one group of features, [samples][features][steps · width], and which steps are there.
struct GroupSamples {
  std::span<const float> values;
  std::span<const std::uint8_t> present;  ///< empty: all
  std::span<const std::uint32_t> rows;    ///< the samples of this batch
};

/// The group's columns among those of all maps.
template <class Float>
struct GroupColumns {
  Float* maps;         ///< of the first sample's first column of the group
  std::size_t stride;  ///< to the next sample
};

class GroupMaps {
 public:
  virtual ~GroupMaps() = default;
  virtual void set_threads(std::size_t) {}
  /// `parameters` begins with the group's first block; `scales` has a factor for every feature, or is null.
  virtual void load(const float* parameters, const float* scales) = 0;
  virtual void forward(const GroupSamples& samples, GroupColumns<float> maps, bool keep) = 0;
  /// Writes the gradients of the parameters and, where features are scaled, of the scales.
  virtual void backward(const GroupSamples& samples, GroupColumns<const float> maps_gradient, float* gradient,
                        float* scales_gradient) = 0;
};

std::unique_ptr<GroupMaps> make_identity_maps(const MapGroup& group);
std::unique_ptr<GroupMaps> make_mlp_maps(const MapGroup& group, const Architecture& architecture);
std::unique_ptr<GroupMaps> make_gru_maps(const MapGroup& group, const Architecture& architecture);

}  // namespace macmi::maps
