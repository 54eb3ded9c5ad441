// Features of several columns: a perceptron each.
#include <algorithm>
#include <vector>

#include "maps/network/dense/perceptron.hpp"
#include "maps/network/group_maps.hpp"

namespace macmi::maps {
namespace {

class MlpMaps final : public GroupMaps {
 public:
  MlpMaps(const MapGroup& group, const Architecture& a)
      : inputs_(group.shape.steps * group.shape.width), width_(a.map_width), outputs_(group.shape.outputs) {
    for (std::size_t f = 0; f < group.count; ++f) networks_.emplace_back(inputs_, width_, outputs_, a.activation);
    in_.resize(group.count);
    passes_.resize(group.count);
  }

  void load(const float* parameters, const float* scales) override {
    parameters_ = parameters;
    scales_ = scales;
    for (std::size_t f = 0; f < networks_.size(); ++f) networks_[f].load(places(parameters, f), scale(f));
  }

  void forward(const GroupSamples& samples, GroupColumns<float> maps, bool keep) override {
    const std::size_t rows = samples.rows.size();
    for (std::size_t f = 0; f < networks_.size(); ++f) {
      const std::size_t buffer = keep ? f : 0;
      gather(samples, f, in_[buffer]);
      networks_[f].forward(rows, in_[buffer].data(), passes_[buffer]);
      const std::size_t stride = networks_[f].out_stride();
      for (std::size_t k = 0; k < rows; ++k)
        std::copy_n(passes_[buffer].out.data() + k * stride, outputs_, maps.maps + k * maps.stride + f * outputs_);
    }
  }

  void backward(const GroupSamples& samples, GroupColumns<const float> maps_gradient, float* gradient,
                float* scales_gradient) override {
    const std::size_t rows = samples.rows.size(), stride = networks_.front().out_stride();
    out_gradient_.assign(rows * stride, 0.0f);
    for (std::size_t f = 0; f < networks_.size(); ++f) {
      for (std::size_t k = 0; k < rows; ++k)
        std::copy_n(maps_gradient.maps + k * maps_gradient.stride + f * outputs_, outputs_,
                    out_gradient_.data() + k * stride);
      networks_[f].backward(rows, in_[f].data(), out_gradient_.data(), passes_[f], gradients_);
      networks_[f].write_gradient(places(gradient, f), scale(f));
      if (scales_gradient)
        scales_gradient[f] = static_cast<float>(networks_[f].first().factor_gradient(places(parameters_, f)[0]));
    }
  }

 private:
  float scale(std::size_t f) const { return scales_ ? scales_[f] : 1; }

  /// Blocks lie one after the other, each with all features (parameter_blocks).
  template <class Float>
  PerceptronPlaces<Float> places(Float* block, std::size_t f) const {
    PerceptronPlaces<Float> result;
    const std::size_t sizes[6] = {inputs_ * width_, width_, width_ * width_, width_, width_ * outputs_, outputs_};
    for (std::size_t b = 0; b < 6; ++b) {
      result[b] = block + f * sizes[b];
      block += networks_.size() * sizes[b];
    }
    return result;
  }

  void gather(const GroupSamples& samples, std::size_t f, base::AlignedVector<float>& in) const {
    const std::size_t stride = networks_[f].in_stride(), rows = samples.rows.size();
    if (in.size() < rows * stride) in.assign(rows * stride, 0.0f);
    for (std::size_t k = 0; k < rows; ++k)
      std::copy_n(samples.values.data() + (samples.rows[k] * networks_.size() + f) * inputs_, inputs_,
                  in.data() + k * stride);
  }

  std::size_t inputs_, width_, outputs_;
  std::vector<Perceptron> networks_;
  std::vector<base::AlignedVector<float>> in_;
  std::vector<PerceptronPass> passes_;
  PerceptronGradients gradients_;
  base::AlignedVector<float> out_gradient_;
  const float *parameters_ = nullptr, *scales_ = nullptr;
};

}  // namespace

std::unique_ptr<GroupMaps> make_mlp_maps(const MapGroup& group, const Architecture& architecture) {
  return std::make_unique<MlpMaps>(group, architecture);
}

}  // namespace macmi::maps
