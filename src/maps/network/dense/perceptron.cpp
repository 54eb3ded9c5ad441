#include "maps/network/dense/perceptron.hpp"

namespace macmi::maps {

void Perceptron::load(const PerceptronPlaces<const float>& at, float factor) {
  first_.load(at[0], at[1], factor);
  second_.load(at[2], at[3]);
  last_.load(at[4], at[5]);
}

void Perceptron::write_gradient(const PerceptronPlaces<float>& at, float factor) const {
  first_.write_gradient(at[0], at[1], factor);
  second_.write_gradient(at[2], at[3]);
  last_.write_gradient(at[4], at[5]);
}

void Perceptron::make_room(std::size_t rows, PerceptronPass& pass) const {
  const std::size_t hidden = rows * first_.out_stride(), out = rows * last_.out_stride();
  if (pass.first.size() >= hidden && pass.out.size() >= out) return;
  for (base::AlignedVector<float>* numbers : {&pass.first, &pass.first_slope, &pass.second, &pass.second_slope})
    numbers->resize(hidden);
  pass.out.resize(out);
}

void Perceptron::forward(std::size_t rows, const float* in, PerceptronPass& pass) const {
  make_room(rows, pass);
  first_.forward(rows, in, pass.first.data());
  forward_from_first(rows, pass);
}

void Perceptron::forward_from_first(std::size_t rows, PerceptronPass& pass) const {
  const std::size_t hidden = rows * first_.out_stride();
  activate(activation_, hidden, pass.first.data(), pass.first_slope.data());
  second_.forward(rows, pass.first.data(), pass.second.data());
  activate(activation_, hidden, pass.second.data(), pass.second_slope.data());
  last_.forward(rows, pass.second.data(), pass.out.data());
}

void Perceptron::backward_to_first(std::size_t rows, const float* out_gradient, const PerceptronPass& pass,
                                   PerceptronGradients& gradients) {
  const std::size_t hidden = rows * first_.out_stride();
  if (gradients.first.size() < hidden) gradients.first.resize(hidden), gradients.second.resize(hidden);
  last_.add_gradient(rows, pass.second.data(), out_gradient);
  last_.backward(rows, out_gradient, gradients.second.data());
  scale_by(hidden, pass.second_slope.data(), gradients.second.data());
  second_.add_gradient(rows, pass.first.data(), gradients.second.data());
  second_.backward(rows, gradients.second.data(), gradients.first.data());
  scale_by(hidden, pass.first_slope.data(), gradients.first.data());
}

void Perceptron::backward(std::size_t rows, const float* in, const float* out_gradient, const PerceptronPass& pass,
                          PerceptronGradients& gradients) {
  backward_to_first(rows, out_gradient, pass, gradients);
  first_.add_gradient(rows, in, gradients.first.data());
}

}  // namespace macmi::maps
