// The plain GRU is the definition: checked against PyTorch's own, and its gradients against numerical differences.
#include <gtest/gtest.h>

#include "gru_cases.hpp"

namespace macmi {
namespace {

using Present = GruCase::Present;

TEST(PlainGru, AgreesWithTorchsOwnGru) {
  const GruCase c{3, 5, 7, 2, 4, 2};
  const GruExample example = make_example(c, at::kDouble, 1);
  const at::Tensor ours = plain_gru_last_state(example.x, {}, example.layers);
  for (std::int64_t f = 0; f < c.features; ++f) {
    std::vector<at::Tensor> parameters;  // of one feature, the matrices transposed
    for (const GruLayer& layer : example.layers) {
      parameters.push_back(layer.from_input[f].t().contiguous());
      parameters.push_back(layer.from_state[f].t().contiguous());
      parameters.push_back(layer.input_bias[f][0]);
      parameters.push_back(layer.state_bias[f][0]);
    }
    const auto [all, last] = at::gru(example.x[f], at::zeros({c.layers, c.batch, c.states}, at::kDouble), parameters,
                                     true, c.layers, 0.0, false, false, true);
    EXPECT_LT((ours[f] - last[c.layers - 1]).abs().max().item<double>(), 1e-12);
  }
}

/// Steps that are missing at the end are steps that are not there.
TEST(PlainGru, LengthsCutTheSeries) {
  const GruCase c{2, 4, 9, 2, 3, 2};
  GruExample example = make_example(c, at::kDouble, 2);
  const at::Tensor lengths = at::tensor({0, 1, 5, 9}, at::kLong);
  example.present = present_steps(lengths, c.steps);
  const at::Tensor last = plain_gru_last_state(example.x, example.present, example.layers);
  EXPECT_EQ(last.select(1, 0).abs().max().item<double>(), 0);
  for (std::int64_t b = 1; b < c.batch; ++b) {
    const at::Tensor cut = example.x.narrow(1, b, 1).narrow(2, 0, lengths[b].item<std::int64_t>());
    const at::Tensor alone = plain_gru_last_state(cut, {}, example.layers);
    EXPECT_LT((alone.select(1, 0) - last.select(1, b)).abs().max().item<double>(), 1e-14);
  }
}

/// Central differences in double precision: error about h² + 1e-16 / h, so 1e-8 is met with room at h = 1e-5.
void expect_numerical_gradients(const GruCase& c) {
  const GruExample example = make_example(c, at::kDouble, 3);
  const auto last = [&] { return plain_gru_last_state(example.x, example.present, example.layers); };
  const GruOutcome outcome = differentiate(last(), example);
  at::NoGradGuard no_grad;
  const auto loss = [&] { return (last() * example.direction).sum().item<double>(); };
  const std::vector<at::Tensor> leaves = example.leaves();
  for (std::size_t i = 0; i < leaves.size(); ++i) {
    const at::Tensor gradient = outcome.gradients[i].contiguous();
    auto* numbers = leaves[i].data_ptr<double>();
    for (std::int64_t j = 0; j < leaves[i].numel(); ++j) {
      constexpr double h = 1e-5;
      const double at = numbers[j];
      numbers[j] = at + h;
      const double above = loss();
      numbers[j] = at - h;
      const double below = loss();
      numbers[j] = at;
      ASSERT_NEAR(gradient.data_ptr<double>()[j], (above - below) / (2 * h), 1e-8) << "tensor " << i << ", entry " << j;
    }
  }
}

TEST(PlainGru, GradientsMatchNumericalDifferences) {
  expect_numerical_gradients({2, 3, 4, 2, 3, 1});
  expect_numerical_gradients({2, 3, 5, 1, 2, 2, Present::scattered});
  expect_numerical_gradients({1, 4, 5, 3, 3, 3, Present::lengths});
}

}  // namespace
}  // namespace macmi
