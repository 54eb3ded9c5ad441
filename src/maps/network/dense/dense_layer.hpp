#pragma once
#include <cstddef>

#include "base/vector/aligned.hpp"
#include "maps/network/dense/dense_kernel.hpp"

namespace macmi::maps {

/// out = bias + in · W on rows of samples, with the gradient of W and bias. Weights come from a flat array
/// [inputs][outputs] and are kept here in padded rows, once as they are and once transposed.
class DenseLayer {
 public:
  DenseLayer(std::size_t inputs, std::size_t outputs);
  std::size_t inputs() const { return inputs_; }
  std::size_t outputs() const { return outputs_; }
  std::size_t in_stride() const { return padded_width(inputs_); }
  std::size_t out_stride() const { return padded_width(outputs_); }

  /// Takes the weights times `factor`, and clears the gradients.
  void load(const float* weights, const float* bias, float factor = 1);

  const float* weight_row(std::size_t input) const { return weights_.data() + input * out_stride(); }
  const float* bias() const { return bias_.data(); }

  void forward(std::size_t rows, const float* in, float* out) const;
  /// The gradient with respect to `in`, from that with respect to out.
  void backward(std::size_t rows, const float* out_gradient, float* in_gradient) const {
    backward(rows, inputs_, out_gradient, in_gradient);
  }
  /// The same for the first inputs only; the length of rows does not change.
  void backward(std::size_t rows, std::size_t inputs, const float* out_gradient, float* in_gradient) const;
  /// Adds this batch's share of the gradients of weights and bias, sample after sample.
  void add_gradient(std::size_t rows, const float* in, const float* out_gradient);
  void add_bias_gradient(std::size_t rows, const float* out_gradient);
  /// Of one input of one sample, for layers whose inputs are mostly zero.
  void add_gradient_of_input(std::size_t input, float value, const float* out_gradient_row);

  /// Into flat arrays, of the loaded weights (times `factor` for those that were loaded with it).
  void write_gradient(float* weights, float* bias, float factor = 1) const;
  /// Σ gradient of loaded weights · given weights: the gradient of the factor they were loaded with.
  double factor_gradient(const float* weights) const;

 private:
  float gradient_at(std::size_t input, std::size_t output) const;

  std::size_t inputs_, outputs_;
  /// The longer side of the gradient lies in vectors.
  bool gradient_transposed_;
  base::AlignedVector<float> weights_, transposed_, bias_, zeros_, gradient_, bias_gradient_;
};

}  // namespace macmi::maps
