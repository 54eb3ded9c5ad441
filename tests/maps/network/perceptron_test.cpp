// Three layers forth and back against plain loops of std::fma, bit for bit: activations aside, which have their own
// test.
#include "maps/network/dense/perceptron.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maps/every_simd.hpp"
#include "small_network.hpp"

namespace macmi::maps {
namespace {

using Floats = std::vector<float>;

/// A matrix of rows, without padding.
struct Layer {
  std::size_t inputs, outputs;
  Floats weights, bias;

  Floats forward(const Floats& in) const {
    Floats out;
    for (std::size_t r = 0; r < in.size() / inputs; ++r)
      for (std::size_t o = 0; o < outputs; ++o) {
        float sum = bias[o];
        for (std::size_t i = 0; i < inputs; ++i) sum = std::fma(in[r * inputs + i], weights[i * outputs + o], sum);
        out.push_back(sum);
      }
    return out;
  }
  Floats backward(const Floats& out_gradient) const {
    Floats in;
    for (std::size_t r = 0; r < out_gradient.size() / outputs; ++r)
      for (std::size_t i = 0; i < inputs; ++i) {
        float sum = 0;
        for (std::size_t o = 0; o < outputs; ++o)
          sum = std::fma(out_gradient[r * outputs + o], weights[i * outputs + o], sum);
        in.push_back(sum);
      }
    return in;
  }
  /// Of weights, then bias; sample after sample.
  Floats gradient(const Floats& in, const Floats& out_gradient) const {
    Floats sums(weights.size() + bias.size(), 0.0F);
    for (std::size_t r = 0; r < in.size() / inputs; ++r)
      for (std::size_t o = 0; o < outputs; ++o) {
        const float g = out_gradient[r * outputs + o];
        for (std::size_t i = 0; i < inputs; ++i)
          sums[i * outputs + o] = std::fma(in[r * inputs + i], g, sums[i * outputs + o]);
        sums[weights.size() + o] += g;
      }
    return sums;
  }
};

/// Applies the kernel's activation and returns its slopes.
Floats activate_in_place(Activation activation, Floats& values) {
  base::AlignedVector<float> padded(padded_width(values.size()), 0.0F), slopes(padded.size());
  std::copy(values.begin(), values.end(), padded.begin());
  activate(activation, padded.size(), padded.data(), slopes.data());
  std::copy_n(padded.begin(), values.size(), values.begin());
  return {slopes.begin(), slopes.begin() + static_cast<std::ptrdiff_t>(values.size())};
}

Floats times(Floats a, const Floats& b) {
  for (std::size_t i = 0; i < a.size(); ++i) a[i] *= b[i];
  return a;
}

base::AlignedVector<float> padded_rows(const Floats& values, std::size_t width) {
  const std::size_t rows = values.size() / width, stride = padded_width(width);
  base::AlignedVector<float> padded(rows * stride, 0.0F);
  for (std::size_t r = 0; r < rows; ++r) std::copy_n(values.data() + r * width, width, padded.data() + r * stride);
  return padded;
}

struct Sizes {
  std::size_t inputs, width, outputs, rows;
};

void expect_equals_loops(const Sizes& s, Activation activation, float factor) {
  base::RandomStream random(base::StreamKey(7).with(s.inputs).with(s.width).with(s.outputs));
  const auto layer = [&](std::size_t in, std::size_t out) {
    return Layer{in, out, testing::random_floats(in * out, random, 0.5), testing::random_floats(out, random)};
  };
  const Layer given = layer(s.inputs, s.width), second = layer(s.width, s.width), last = layer(s.width, s.outputs);
  Layer first = given;
  for (float& w : first.weights) w *= factor;
  const Floats in = testing::random_floats(s.rows * s.inputs, random),
               out_gradient = testing::random_floats(s.rows * s.outputs, random);

  Floats h1 = first.forward(in);
  const Floats slope1 = activate_in_place(activation, h1);
  Floats h2 = second.forward(h1);
  const Floats slope2 = activate_in_place(activation, h2);
  const Floats out = last.forward(h2);
  const Floats g2 = times(last.backward(out_gradient), slope2), g1 = times(second.backward(g2), slope1);
  Floats want;
  for (const Floats& part : {first.gradient(in, g1), second.gradient(h1, g2), last.gradient(h2, out_gradient)})
    want.insert(want.end(), part.begin(), part.end());
  for (std::size_t i = 0; i < given.weights.size(); ++i) want[i] *= factor;

  Perceptron network(s.inputs, s.width, s.outputs, activation);
  network.load({given.weights.data(), given.bias.data(), second.weights.data(), second.bias.data(), last.weights.data(),
                last.bias.data()},
               factor);
  PerceptronPass pass;
  PerceptronGradients gradients;
  const base::AlignedVector<float> in_rows = padded_rows(in, s.inputs), back = padded_rows(out_gradient, s.outputs);
  network.forward(s.rows, in_rows.data(), pass);
  for (std::size_t r = 0; r < s.rows; ++r)
    for (std::size_t o = 0; o < s.outputs; ++o)
      ASSERT_EQ(pass.out[r * network.out_stride() + o], out[r * s.outputs + o]) << "row " << r << " output " << o;
  network.backward(s.rows, in_rows.data(), back.data(), pass, gradients);
  Floats got(want.size());
  PerceptronPlaces<float> places;
  float* at = got.data();
  const std::size_t sizes[6] = {s.inputs * s.width,  s.width,  s.width * s.width, s.width,
                                s.width * s.outputs, s.outputs};
  for (std::size_t b = 0; b < 6; at += sizes[b++]) places[b] = at;
  network.write_gradient(places, factor);
  for (std::size_t i = 0; i < want.size(); ++i) ASSERT_EQ(got[i], want[i]) << "parameter " << i;
}

TEST(Perceptron, EqualsLoopsOfFusedMultiplyAddsOnEveryInstructionSet) {
  testing::for_every_simd([](const std::string& simd) {
    SCOPED_TRACE(simd);
    for (const Sizes& s : {Sizes{1, 1, 1, 1}, Sizes{3, 5, 2, 7}, Sizes{17, 16, 1, 19}, Sizes{2, 33, 18, 8}})
      for (const Activation activation : {Activation::silu, Activation::relu})
        for (const float factor : {1.0F, 0.37F}) expect_equals_loops(s, activation, factor);
  });
}

/// The gradient of the factor, which Σ gradient · weight is by the chain rule.
TEST(DenseLayer, GradientOfTheFactorIsTheSumOverItsWeights) {
  base::RandomStream random(base::StreamKey(8));
  for (const std::size_t outputs : {3, 20}) {  // both orders in which gradients are kept
    const std::size_t inputs = 18, rows = 9;
    const Floats weights = testing::random_floats(inputs * outputs, random), bias(outputs, 0.0F),
                 in = testing::random_floats(rows * inputs, random),
                 back = testing::random_floats(rows * outputs, random);
    DenseLayer layer(inputs, outputs);
    layer.load(weights.data(), bias.data(), 0.5F);
    layer.add_gradient(rows, padded_rows(in, inputs).data(), padded_rows(back, outputs).data());
    double want = 0;
    for (std::size_t r = 0; r < rows; ++r)
      for (std::size_t i = 0; i < inputs; ++i)
        for (std::size_t o = 0; o < outputs; ++o)
          want += static_cast<double>(in[r * inputs + i]) * back[r * outputs + o] * weights[i * outputs + o];
    EXPECT_NEAR(layer.factor_gradient(weights.data()), want, 1e-4);  // 500 products in single precision
  }
}

}  // namespace
}  // namespace macmi::maps
