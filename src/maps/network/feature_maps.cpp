#include "maps/network/feature_maps.hpp"

#include "maps/network/group_maps.hpp"

namespace macmi::maps {
namespace {

std::unique_ptr<GroupMaps> make_group(const MapGroup& group, const Architecture& a) {
  if (group.shape.encoder == Encoder::identity) return make_identity_maps(group);
  if (group.shape.encoder == Encoder::mlp) return make_mlp_maps(group, a);
  return make_gru_maps(group, a);
}

GroupSamples samples_of(const NetworkSamples& samples, std::size_t g, std::span<const std::uint32_t> rows) {
  return {samples.values[g], samples.present[g], rows};
}

}  // namespace

FeatureMaps::FeatureMaps(const Architecture& a) : columns_(a.map_columns()), scaled_(a.scaled), first_column_{0} {
  for (const MapShape& shape : a.features) first_column_.push_back(first_column_.back() + shape.outputs);
  std::size_t parameter = a.scaled ? a.features.size() : 0;
  for (const MapGroup& group : groups_of(a)) {
    groups_.push_back({make_group(group, a), group.first, first_column_[group.first], parameter});
    parameter += map_parameters(a, group);
  }
}
FeatureMaps::~FeatureMaps() = default;
FeatureMaps::FeatureMaps(FeatureMaps&&) noexcept = default;

void FeatureMaps::set_threads(std::size_t threads) {
  for (const Group& group : groups_) group.maps->set_threads(threads);
}

void FeatureMaps::load(std::span<const float> parameters) {
  for (const Group& group : groups_)
    group.maps->load(parameters.data() + group.parameter, scaled_ ? parameters.data() + group.feature : nullptr);
}

void FeatureMaps::forward(const NetworkSamples& samples, std::span<const std::uint32_t> rows, float* maps, bool keep) {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    groups_[g].maps->forward(samples_of(samples, g, rows), {maps + groups_[g].column, columns_}, keep);
}

void FeatureMaps::backward(const NetworkSamples& samples, std::span<const std::uint32_t> rows,
                           const float* maps_gradient, std::span<float> gradient) {
  for (std::size_t g = 0; g < groups_.size(); ++g)
    groups_[g].maps->backward(samples_of(samples, g, rows), {maps_gradient + groups_[g].column, columns_},
                              gradient.data() + groups_[g].parameter,
                              scaled_ ? gradient.data() + groups_[g].feature : nullptr);
}

}  // namespace macmi::maps
