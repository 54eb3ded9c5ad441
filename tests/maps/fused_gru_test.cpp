// The fused kernel against the plain operations, in value and in every gradient.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <cstring>
#include <limits>

#include "base/simd.hpp"
#include "gru_cases.hpp"
#include "macmi/error.hpp"
#include "maps/gru_kernel.hpp"

namespace macmi {
namespace {

using Present = GruCase::Present;

/// Largest difference, relative to the largest entry of the reference.
double difference(const at::Tensor& got, const at::Tensor& reference) {
  if (reference.numel() == 0) return 0;
  const double scale = reference.abs().max().item<double>();
  return (got.to(at::kDouble) - reference).abs().max().item<double>() / std::max(scale, 1e-3);
}

bool same_bits(const at::Tensor& a, const at::Tensor& b) {
  return a.sizes() == b.sizes() && std::memcmp(a.contiguous().data_ptr(), b.contiguous().data_ptr(), a.nbytes()) == 0;
}

GruOutcome fused(const GruExample& example, std::size_t threads = 1) {
  return differentiate(gru_last_state(example.x, example.present, example.layers, threads), example);
}

/// Layers 1 to 3; 3, 16 and 20 states; 1 to 3 channels; fewer samples than a vector, exactly a block, several ranges;
/// fewer steps than a chunk, a chunk, several.
const GruCase cases[] = {{2, 5, 7, 1, 3, 1},
                         {3, 32, 16, 2, 16, 2},
                         {2, 19, 33, 3, 20, 3},
                         {2, 70, 20, 1, 16, 2, Present::scattered},
                         {3, 33, 40, 2, 3, 3, Present::scattered},
                         {2, 150, 37, 3, 16, 1, Present::lengths},
                         {2, 9, 50, 1, 20, 2, Present::lengths},
                         {3, 40, 34, 2, 16, 3, Present::shared},
                         {1, 1, 1, 1, 1, 1},
                         {2, 64, 90, 1, 16, 2},
                         {2, 6, 5, 5, 7, 2, Present::scattered}};

std::string name(const GruCase& c) {
  return fmt::format("{} features, {} samples, {} steps, {} channels, {} states, {} layers, present {}", c.features,
                     c.batch, c.steps, c.inputs, c.states, c.layers, static_cast<int>(c.present));
}

/// The reference is the plain GRU in double precision. Single precision has 6e-8 per operation; over tens of steps of
/// random sign that is some 1e-6, with room for the longest sums.
TEST(FusedGru, EqualsThePlainOneInValueAndGradients) {
  for (const GruCase& c : cases) {
    const GruExample example = make_example(c, at::kFloat, 4), exact = in_precision(example, at::kDouble);
    const GruOutcome want = differentiate(plain_gru_last_state(exact.x, exact.present, exact.layers), exact);
    for (const std::string& simd : simd_targets()) {
      SCOPED_TRACE(name(c) + ", " + simd);
      limit_simd(simd);
      const GruOutcome got = fused(example);
      EXPECT_LT(difference(got.last, want.last), 3e-6);
      ASSERT_EQ(got.gradients.size(), want.gradients.size());
      for (std::size_t i = 0; i < want.gradients.size(); ++i)
        EXPECT_LT(difference(got.gradients[i], want.gradients[i]), 1e-5) << "gradient " << i;
    }
    limit_simd("");
  }
}

TEST(FusedGru, SameBitsForAnyNumberOfThreads) {
  for (const GruCase& c : cases) {
    SCOPED_TRACE(name(c));
    const GruExample example = make_example(c, at::kFloat, 5);
    const GruOutcome one = fused(example, 1);
    for (const std::size_t threads : {2, 7}) {
      const GruOutcome many = fused(example, threads);
      EXPECT_TRUE(same_bits(one.last, many.last));
      for (std::size_t i = 0; i < one.gradients.size(); ++i)
        EXPECT_TRUE(same_bits(one.gradients[i], many.gradients[i])) << "gradient " << i;
    }
  }
}

TEST(FusedGru, SameStateWithoutABackwardPass) {
  for (const GruCase& c : cases) {
    const GruExample example = make_example(c, at::kFloat, 6);
    const at::Tensor with = gru_last_state(example.x, example.present, example.layers);
    at::NoGradGuard no_grad;
    EXPECT_TRUE(same_bits(with.detach(), gru_last_state(example.x, example.present, example.layers))) << name(c);
  }
}

TEST(FusedGru, GradientsOfWeightsAloneAreTheSame) {
  for (const GruCase& c : cases) {
    GruExample example = make_example(c, at::kFloat, 13);
    const GruOutcome all = fused(example);
    example.x = example.x.detach();
    const at::Tensor last = gru_last_state(example.x, example.present, example.layers);
    std::vector<at::Tensor> leaves = example.leaves();
    leaves.erase(leaves.begin());
    const std::vector<at::Tensor> some = torch::autograd::grad({(last * example.direction).sum()}, leaves);
    for (std::size_t i = 0; i < some.size(); ++i) EXPECT_TRUE(same_bits(some[i], all.gradients[i + 1])) << name(c);
  }
}

/// What a batch keeps for its gradient, at the size of the drives, is small beside the batch's own gates.
TEST(FusedGru, KeepsLittle) {
  EXPECT_LT(gru_kept_size({36, 256, 90, 1, 16, 2}) * sizeof(float), std::size_t{16} << 20);
}

TEST(FusedGru, ValuesOfMissingStepsDoNotMatter) {
  GruExample example = make_example({2, 21, 35, 2, 5, 2, Present::scattered}, at::kFloat, 7);
  const GruOutcome before = fused(example);
  const at::Tensor missing = example.present.logical_not().unsqueeze(-1);
  example.x = example.x.detach().masked_fill(missing, std::numeric_limits<double>::quiet_NaN()).requires_grad_(true);
  const GruOutcome after = fused(example);
  EXPECT_TRUE(same_bits(before.last, after.last));
  for (std::size_t i = 0; i < before.gradients.size(); ++i)
    EXPECT_TRUE(same_bits(before.gradients[i], after.gradients[i])) << "gradient " << i;
  EXPECT_EQ(after.gradients[0].masked_select(missing).abs().sum().item<double>(), 0);
  const at::Tensor plain = plain_gru_last_state(example.x, example.present, example.layers);
  EXPECT_TRUE(plain.isfinite().all().item<bool>());
}

TEST(FusedGru, ASampleDoesNotSeeTheOthers) {
  const GruExample example = make_example({2, 45, 12, 2, 6, 2, Present::lengths}, at::kFloat, 8);
  at::NoGradGuard no_grad;
  const at::Tensor all = gru_last_state(example.x, example.present, example.layers);
  for (const std::int64_t b : {0, 17, 44}) {
    const at::Tensor alone = gru_last_state(example.x.narrow(1, b, 1), example.present.narrow(1, b, 1), example.layers);
    EXPECT_TRUE(same_bits(alone, all.narrow(1, b, 1)));
  }
}

TEST(FusedGru, ADivergedSeriesShows) {
  GruExample example = make_example({1, 20, 9, 1, 4, 2}, at::kFloat, 9);
  at::NoGradGuard no_grad;
  example.x[0][3][4][0] = std::numeric_limits<float>::quiet_NaN();
  const at::Tensor last = gru_last_state(example.x, {}, example.layers);
  EXPECT_TRUE(last[0][3].isnan().all().item<bool>());
  EXPECT_EQ(last.isnan().sum().item<std::int64_t>(), 4);
}

TEST(FusedGru, NoSamplesAndNoStepsGiveEmptyAndZeroStates) {
  for (const GruCase& c : {GruCase{2, 0, 5, 1, 3, 2}, GruCase{2, 4, 0, 1, 3, 2}}) {
    const GruExample example = make_example(c, at::kFloat, 10);
    const GruOutcome outcome = fused(example);
    EXPECT_EQ(outcome.last.sizes(), (std::vector<std::int64_t>{2, c.batch, 3}));
    EXPECT_EQ(outcome.last.abs().sum().item<double>(), 0);
    for (const at::Tensor& gradient : outcome.gradients) EXPECT_EQ(gradient.abs().sum().item<double>(), 0);
  }
}

TEST(FusedGru, DoublePrecisionTakesThePlainOperations) {
  const GruExample example = make_example({2, 5, 6, 2, 4, 2}, at::kDouble, 11);
  EXPECT_TRUE(same_bits(gru_last_state(example.x, {}, example.layers).detach(),
                        plain_gru_last_state(example.x, {}, example.layers).detach()));
}

TEST(FusedGru, WrongShapesAndSecondDerivativesAreRefused) {
  GruExample example = make_example({2, 5, 6, 2, 4, 2}, at::kFloat, 12);
  const at::Tensor last = gru_last_state(example.x, {}, example.layers);
  EXPECT_THROW(torch::autograd::grad({last.sum()}, {example.x}, {}, true, true), Error);
  EXPECT_THROW(gru_last_state(example.x, at::ones({2, 5, 7}), example.layers), Error);
  EXPECT_THROW(gru_last_state(example.x[0], {}, example.layers), Error);
  example.layers[1].from_input = example.layers[0].from_input;
  EXPECT_THROW(gru_last_state(example.x, {}, example.layers), Error);
}

/// Every place of the curves, from the smallest numbers to far beyond saturation, within 1e-6 of their own value.
TEST(GruMath, SigmoidAndTanhAreAccurateRelativeToTheirValue) {
  std::vector<float> x;
  for (double magnitude = 1e-30; magnitude < 80; magnitude *= 1.003)
    for (const double sign : {-1.0, 1.0}) x.push_back(static_cast<float>(sign * magnitude));
  x.resize(x.size() / 16 * 16);
  std::vector<float> sigmoid(x.size()), tangent(x.size());
  for (const std::string& simd : simd_targets()) {
    SCOPED_TRACE(simd);
    limit_simd(simd);
    gru_sigmoid(x.data(), x.size(), sigmoid.data());
    gru_tanh(x.data(), x.size(), tangent.data());
    for (std::size_t i = 0; i < x.size(); ++i) {
      const double at = x[i], s = 1 / (1 + std::exp(-at)), t = std::tanh(at);
      ASSERT_NEAR(sigmoid[i], s, 1e-6 * s) << at;
      ASSERT_NEAR(tangent[i], t, 1e-6 * std::abs(t)) << at;
    }
  }
  limit_simd("");
}

TEST(GruMath, InfiniteAndMissingNumbers) {
  constexpr float infinity = std::numeric_limits<float>::infinity();
  std::vector<float> x(16, std::numeric_limits<float>::quiet_NaN()), sigmoid(16), tangent(16);
  x[0] = infinity;
  x[1] = -infinity;
  x[2] = 0;
  gru_sigmoid(x.data(), 16, sigmoid.data());
  gru_tanh(x.data(), 16, tangent.data());
  EXPECT_EQ(sigmoid[0], 1.0f);
  EXPECT_LT(sigmoid[1], 1e-37f);
  EXPECT_EQ(sigmoid[2], 0.5f);
  EXPECT_EQ(tangent[0], 1.0f);
  EXPECT_EQ(tangent[1], -1.0f);
  EXPECT_EQ(tangent[2], 0.0f);
  EXPECT_TRUE(std::isnan(sigmoid[3]));
  EXPECT_TRUE(std::isnan(tangent[3]));
}

}  // namespace
}  // namespace macmi
