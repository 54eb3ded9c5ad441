#include "predict/loss.hpp"

#include <gtest/gtest.h>

namespace macmi::predict {
namespace {

/// Downhill against the difference quotient of the value.
void expect_downhill(const Loss& loss, std::size_t sample, std::vector<double> scores) {
  std::vector<double> downhill(loss.outputs()), curvature(loss.outputs());
  loss.steps(sample, scores.data(), downhill.data(), curvature.data());
  for (std::size_t k = 0; k < loss.outputs(); ++k) {
    constexpr double step = 1e-5;
    std::vector<double> up = scores, down = scores;
    up[k] += step, down[k] -= step;
    const double slope = (loss.value(sample, up.data()) - loss.value(sample, down.data())) / (2 * step);
    EXPECT_NEAR(downhill[k], -slope, 1e-8) << k;
    EXPECT_GT(curvature[k], 0);
  }
}

TEST(PredictLoss, StepsGoDownhill) {
  expect_downhill(Loss::squares({1.5, -2}), 0, {0.3});
  expect_downhill(Loss::log_variance({1.5, 0.2}), 1, {-0.4});
  expect_downhill(Loss::classes({0, 1}, 2), 0, {0.7});
  expect_downhill(Loss::classes({0, 1}, 2), 1, {-2.5});
  expect_downhill(Loss::classes({0, 2, 1}, 3), 1, {0.1, 0.5, -0.3});
}

TEST(PredictLoss, TheConstantIsTheBestOne) {
  const std::vector<std::uint32_t> rows{0, 1, 2, 3};
  const auto total = [&](const Loss& loss, const std::vector<double>& scores) {
    double sum = 0;
    for (const std::uint32_t i : rows) sum += loss.value(i, scores.data());
    return sum;
  };
  for (const Loss& loss : {Loss::squares({1, 2, 4, 7}), Loss::log_variance({1, 0.5, 2, 0.1})}) {
    const double best = loss.constant(rows).front();
    EXPECT_LT(total(loss, {best}), total(loss, {best + 0.01}));
    EXPECT_LT(total(loss, {best}), total(loss, {best - 0.01}));
  }
}

}  // namespace
}  // namespace macmi::predict
