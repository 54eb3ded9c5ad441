#pragma once
#include <array>
#include <cstddef>

#include "maps/network/dense/dense_layer.hpp"

namespace macmi::maps {

/// The parts of a forward pass that the backward pass needs: activations and slopes of both hidden layers, and the
/// output.
struct PerceptronPass {
  base::AlignedVector<float> first, first_slope, second, second_slope, out;
};

/// Gradients of the sums of the first and second layer, on the way back.
struct PerceptronGradients {
  base::AlignedVector<float> first, second;
};

/// Where weights and biases of the three layers lie: W₁, b₁, W₂, b₂, W₃, b₃.
template <class Float>
using PerceptronPlaces = std::array<Float*, 6>;

/// Two hidden layers and a linear one: "three-layer" in the paper's words.
class Perceptron {
 public:
  Perceptron(std::size_t inputs, std::size_t width, std::size_t outputs, Activation activation)
      : first_(inputs, width), second_(width, width), last_(width, outputs), activation_(activation) {}
  std::size_t in_stride() const { return first_.in_stride(); }
  std::size_t out_stride() const { return last_.out_stride(); }
  DenseLayer& first() { return first_; }
  const DenseLayer& first() const { return first_; }

  /// The first weights are taken times `factor`.
  void load(const PerceptronPlaces<const float>& parameters, float factor = 1);
  void write_gradient(const PerceptronPlaces<float>& gradient, float factor = 1) const;

  /// `in` and pass.out are padded rows.
  void forward(std::size_t rows, const float* in, PerceptronPass& pass) const;
  /// The same from the first layer's sums on, which the caller has put into pass.first (make_room first).
  void forward_from_first(std::size_t rows, PerceptronPass& pass) const;
  void make_room(std::size_t rows, PerceptronPass& pass) const;

  /// Adds the gradients of all layers' weights.
  void backward(std::size_t rows, const float* in, const float* out_gradient, const PerceptronPass& pass,
                PerceptronGradients& gradients);
  /// The same without the first layer's weights.
  void backward_to_first(std::size_t rows, const float* out_gradient, const PerceptronPass& pass,
                         PerceptronGradients& gradients);

 private:
  DenseLayer first_, second_, last_;
  Activation activation_;
};

}  // namespace macmi::maps
