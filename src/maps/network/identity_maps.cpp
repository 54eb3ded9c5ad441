// Features that need no map: they reach the surrogate as they are.
#include "maps/network/group_maps.hpp"

namespace macmi::maps {
namespace {

class IdentityMaps final : public GroupMaps {
 public:
  explicit IdentityMaps(const MapGroup& group) : features_(group.count), width_(group.shape.outputs) {}
  void load(const float*, const float* scales) override { scales_ = scales; }
  void forward(const GroupSamples& samples, GroupColumns<float> maps, bool) override {
    for (std::size_t k = 0; k < samples.rows.size(); ++k)
      for (std::size_t f = 0; f < features_; ++f)
        for (std::size_t c = 0; c < width_; ++c)
          maps.maps[k * maps.stride + f * width_ + c] = value(samples, k, f, c) * (scales_ ? scales_[f] : 1);
  }
  void backward(const GroupSamples& samples, GroupColumns<const float> gradient, float*,
                float* scales_gradient) override {
    for (std::size_t f = 0; scales_gradient && f < features_; ++f) {
      double sum = 0;
      for (std::size_t k = 0; k < samples.rows.size(); ++k)
        for (std::size_t c = 0; c < width_; ++c)
          sum += static_cast<double>(gradient.maps[k * gradient.stride + f * width_ + c]) * value(samples, k, f, c);
      scales_gradient[f] = static_cast<float>(sum);
    }
  }

 private:
  float value(const GroupSamples& samples, std::size_t k, std::size_t f, std::size_t c) const {
    return samples.values[(samples.rows[k] * features_ + f) * width_ + c];
  }
  std::size_t features_, width_;
  const float* scales_ = nullptr;
};

}  // namespace

std::unique_ptr<GroupMaps> make_identity_maps(const MapGroup& group) {
  return std::make_unique<IdentityMaps>(group);
}

}  // namespace macmi::maps
