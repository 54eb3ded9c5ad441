// Series: stacked GRUs (src/maps/gru), and a linear layer from the last state to the map.
#include <algorithm>
#include <vector>

#include "maps/gru/fused_gru.hpp"
#include "maps/network/dense/dense_layer.hpp"
#include "maps/network/group_maps.hpp"

namespace macmi::maps {
namespace {

class GruMaps final : public GroupMaps {
 public:
  GruMaps(const MapGroup& group, const Architecture& a)
      : shape_{group.count, 0, group.shape.steps, group.shape.width, a.gru_states, a.gru_layers},
        outputs_(group.shape.outputs) {
    for (std::size_t f = 0; f < group.count; ++f) heads_.emplace_back(a.gru_states, outputs_);
  }

  void set_threads(std::size_t threads) override { threads_ = threads; }

  void load(const float* parameters, const float* scales) override {
    scales_ = scales;
    weights_.clear();
    const float* at = parameters;
    for (std::size_t l = 0; l < shape_.layers; ++l) {
      const LayerSizes sizes = sizes_of(l);
      weights_.push_back(
          {at, at + sizes.input, at + sizes.input + sizes.recurrent, at + sizes.input + sizes.recurrent + sizes.bias});
      at += sizes.total();
    }
    if (scales) scale_input();
    const float* bias = at + heads_.size() * head_size();
    for (std::size_t f = 0; f < heads_.size(); ++f) heads_[f].load(at + f * head_size(), bias + f * outputs_);
  }

  void forward(const GroupSamples& samples, GroupColumns<float> maps, bool keep) override {
    const std::size_t rows = samples.rows.size(), hidden = shape_.hidden;
    gather(samples);
    states_.resize(shape_.groups * rows * hidden);
    if (keep) kept_.resize(gru_kept_size(shape_));
    gru_forward(shape_, series(), weights_, keep ? kept_.data() : nullptr, states_.data(), threads_);
    const std::size_t stride = heads_.front().out_stride();
    out_.resize(rows * stride);
    for (std::size_t f = 0; f < heads_.size(); ++f) {
      heads_[f].forward(rows, padded_states(f), out_.data());
      for (std::size_t k = 0; k < rows; ++k)
        std::copy_n(out_.data() + k * stride, outputs_, maps.maps + k * maps.stride + f * outputs_);
    }
  }

  void backward(const GroupSamples& samples, GroupColumns<const float> maps_gradient, float* gradient,
                float* scales_gradient) override {
    const std::size_t rows = samples.rows.size(), hidden = shape_.hidden;
    const std::size_t stride = heads_.front().out_stride(), in_stride = heads_.front().in_stride();
    float* heads_gradient = gradient;
    for (std::size_t l = 0; l < shape_.layers; ++l) heads_gradient += sizes_of(l).total();
    float* bias_gradient = heads_gradient + heads_.size() * head_size();
    out_.assign(rows * stride, 0.0f);
    state_gradient_.resize(shape_.groups * rows * hidden);
    back_.resize(rows * in_stride);
    for (std::size_t f = 0; f < heads_.size(); ++f) {
      for (std::size_t k = 0; k < rows; ++k)
        std::copy_n(maps_gradient.maps + k * maps_gradient.stride + f * outputs_, outputs_, out_.data() + k * stride);
      heads_[f].add_gradient(rows, padded_states(f), out_.data());
      heads_[f].write_gradient(heads_gradient + f * head_size(), bias_gradient + f * outputs_);
      heads_[f].backward(rows, out_.data(), back_.data());
      for (std::size_t k = 0; k < rows; ++k)
        std::copy_n(back_.data() + k * in_stride, hidden, state_gradient_.data() + (f * rows + k) * hidden);
    }
    std::vector<GruLayerGradients> places;
    float* at = gradient;
    for (std::size_t l = 0; l < shape_.layers; ++l) {
      const LayerSizes sizes = sizes_of(l);
      places.push_back(
          {at, at + sizes.input, at + sizes.input + sizes.recurrent, at + sizes.input + sizes.recurrent + sizes.bias});
      at += sizes.total();
    }
    gru_backward(shape_, series(), weights_, kept_.data(), state_gradient_.data(), places, threads_);
    if (scales_) through_scales(gradient, scales_gradient);
  }

 private:
  /// Numbers in the four blocks of one layer, all features.
  struct LayerSizes {
    std::size_t input, recurrent, bias;
    std::size_t total() const { return input + recurrent + 2 * bias; }
  };
  LayerSizes sizes_of(std::size_t layer) const {
    const std::size_t gates = 3 * shape_.hidden * shape_.groups;
    return {gates * shape_.inputs(layer), gates * shape_.hidden, gates};
  }
  std::size_t head_size() const { return shape_.hidden * outputs_; }
  std::size_t input_size() const { return 3 * shape_.hidden * shape_.channels; }  // of one feature

  /// A scaled feature is the same as scaled weights of the layer that sees it first.
  void scale_input() {
    unscaled_ = weights_[0].input;
    scaled_.resize(shape_.groups * input_size());
    for (std::size_t f = 0; f < shape_.groups; ++f)
      for (std::size_t i = f * input_size(); i < (f + 1) * input_size(); ++i) scaled_[i] = unscaled_[i] * scales_[f];
    weights_[0].input = scaled_.data();
  }
  void through_scales(float* input_gradient, float* scales_gradient) const {
    for (std::size_t f = 0; f < shape_.groups; ++f) {
      double sum = 0;
      for (std::size_t i = f * input_size(); i < (f + 1) * input_size(); ++i) {
        sum += static_cast<double>(input_gradient[i]) * unscaled_[i];
        input_gradient[i] *= scales_[f];
      }
      scales_gradient[f] = static_cast<float>(sum);
    }
  }

  /// [samples][features][steps][width] into [features][batch][steps][width].
  void gather(const GroupSamples& samples) {
    const std::size_t rows = samples.rows.size(), features = shape_.groups, steps = shape_.steps,
                      row = steps * shape_.channels;
    shape_.samples = rows;
    x_.resize(features * rows * row);
    valid_.resize(samples.present.empty() ? 0 : features * rows * steps);
    for (std::size_t f = 0; f < features; ++f)
      for (std::size_t k = 0; k < rows; ++k) {
        const std::size_t from = samples.rows[k] * features + f, to = f * rows + k;
        std::copy_n(samples.values.data() + from * row, row, x_.data() + to * row);
        if (!valid_.empty()) std::copy_n(samples.present.data() + from * steps, steps, valid_.data() + to * steps);
      }
  }
  GruSeries series() const { return {x_.data(), valid_.empty() ? nullptr : valid_.data(), false}; }

  const float* padded_states(std::size_t f) {
    const std::size_t rows = shape_.samples, hidden = shape_.hidden, stride = heads_[f].in_stride();
    padded_.assign(rows * stride, 0.0f);
    for (std::size_t k = 0; k < rows; ++k)
      std::copy_n(states_.data() + (f * rows + k) * hidden, hidden, padded_.data() + k * stride);
    return padded_.data();
  }

  GruShape shape_;
  std::size_t outputs_, threads_ = 1;
  std::vector<DenseLayer> heads_;
  std::vector<GruLayerWeights> weights_;
  const float *scales_ = nullptr, *unscaled_ = nullptr;
  std::vector<float> scaled_, x_, states_, state_gradient_;
  std::vector<std::uint8_t> valid_;
  base::AlignedVector<float> kept_, padded_, out_, back_;
};

}  // namespace

std::unique_ptr<GroupMaps> make_gru_maps(const MapGroup& group, const Architecture& architecture) {
  return std::make_unique<GruMaps>(group, architecture);
}

}  // namespace macmi::maps
