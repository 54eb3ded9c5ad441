#include "maps/network/dense/dense_layer.hpp"

#include <algorithm>
#include <cmath>

namespace macmi::maps {
namespace {

base::AlignedVector<float> zeros(std::size_t count) {
  return base::AlignedVector<float>(count, 0.0f);
}

}  // namespace

DenseLayer::DenseLayer(std::size_t inputs, std::size_t outputs)
    : inputs_(inputs),
      outputs_(outputs),
      gradient_transposed_(outputs < dense_padding && inputs > outputs),
      weights_(zeros(inputs * padded_width(outputs))),
      transposed_(zeros(outputs * padded_width(inputs))),
      bias_(zeros(padded_width(outputs))),
      zeros_(zeros(padded_width(inputs))),
      gradient_(zeros(gradient_transposed_ ? outputs * padded_width(inputs) : inputs * padded_width(outputs))),
      bias_gradient_(zeros(padded_width(outputs))) {}

void DenseLayer::load(const float* weights, const float* bias, float factor) {
  for (std::size_t i = 0; i < inputs_; ++i)
    for (std::size_t o = 0; o < outputs_; ++o) {
      const float weight = weights[i * outputs_ + o] * factor;
      weights_[i * out_stride() + o] = weight;
      transposed_[o * in_stride() + i] = weight;
    }
  std::copy_n(bias, outputs_, bias_.begin());
  std::fill(gradient_.begin(), gradient_.end(), 0.0f);
  std::fill(bias_gradient_.begin(), bias_gradient_.end(), 0.0f);
}

void DenseLayer::forward(std::size_t rows, const float* in, float* out) const {
  add_product(
      {rows, inputs_, outputs_, in, in_stride(), 1, weights_.data(), out_stride(), bias_.data(), 0, out, out_stride()});
}

void DenseLayer::backward(std::size_t rows, std::size_t inputs, const float* out_gradient, float* in_gradient) const {
  add_product({rows, outputs_, inputs, out_gradient, out_stride(), 1, transposed_.data(), in_stride(), zeros_.data(), 0,
               in_gradient, in_stride()});
}

void DenseLayer::add_gradient(std::size_t rows, const float* in, const float* out_gradient) {
  float* sums = gradient_.data();
  if (gradient_transposed_)
    add_product({outputs_, rows, inputs_, out_gradient, 1, out_stride(), in, in_stride(), sums, in_stride(), sums,
                 in_stride()});
  else
    add_product({inputs_, rows, outputs_, in, 1, in_stride(), out_gradient, out_stride(), sums, out_stride(), sums,
                 out_stride()});
  add_bias_gradient(rows, out_gradient);
}

void DenseLayer::add_bias_gradient(std::size_t rows, const float* out_gradient) {
  add_rows(rows, out_stride(), out_gradient, out_stride(), bias_gradient_.data());
}

void DenseLayer::add_gradient_of_input(std::size_t input, float value, const float* out_gradient_row) {
  if (!gradient_transposed_)
    return add_scaled(out_stride(), value, out_gradient_row, gradient_.data() + input * out_stride());
  for (std::size_t o = 0; o < outputs_; ++o) {
    float& sum = gradient_[o * in_stride() + input];
    sum = std::fma(value, out_gradient_row[o], sum);
  }
}

float DenseLayer::gradient_at(std::size_t input, std::size_t output) const {
  return gradient_transposed_ ? gradient_[output * in_stride() + input] : gradient_[input * out_stride() + output];
}

void DenseLayer::write_gradient(float* weights, float* bias, float factor) const {
  if (gradient_transposed_)
    for (std::size_t i = 0; i < inputs_; ++i)
      for (std::size_t o = 0; o < outputs_; ++o) weights[i * outputs_ + o] = gradient_[o * in_stride() + i] * factor;
  else
    for (std::size_t i = 0; i < inputs_; ++i)
      std::transform(gradient_.begin() + static_cast<std::ptrdiff_t>(i * out_stride()),
                     gradient_.begin() + static_cast<std::ptrdiff_t>(i * out_stride() + outputs_),
                     weights + i * outputs_, [factor](float value) { return value * factor; });
  std::copy_n(bias_gradient_.begin(), outputs_, bias);
}

double DenseLayer::factor_gradient(const float* weights) const {
  double sum = 0;
  for (std::size_t i = 0; i < inputs_; ++i)
    for (std::size_t o = 0; o < outputs_; ++o)
      sum += static_cast<double>(gradient_at(i, o)) * weights[i * outputs_ + o];
  return sum;
}

}  // namespace macmi::maps
