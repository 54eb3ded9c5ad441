// The gradient of the fast objective against central differences of the plain one in double precision.
#include <gtest/gtest.h>

#include <cmath>
#include <tuple>

#include "maps/network/plain_objective.hpp"
#include "small_network.hpp"

namespace macmi::maps {
namespace {

struct Setting {
  Family family;
  double lambda;
  Activation activation = Activation::silu;
  bool scaled = false, several_masks = false;
};

/// Differences err by h² f‴ ≈ 1e-12 and by rounding of 1e-16 / h ≈ 1e-10; single precision by some 1e-7 of sums whose
/// terms are of the size of 1 and, in the regulariser of a sharp Normal, of up to 30.
double tolerance(const std::vector<float>& gradient) {
  double largest = 1;
  for (const float g : gradient) largest = std::max(largest, static_cast<double>(std::fabs(g)));
  return 5e-6 * largest;
}

void expect_numerical_gradient(const Setting& s) {
  const Architecture a = testing::small_architecture(s.family, s.activation, s.scaled);
  base::RandomStream random(base::StreamKey(1).with("gradients"));
  testing::SmallProblem problem(a, 9, random, s.several_masks);
  if (s.lambda == 0) problem.batch.first_swap.clear(), problem.batch.swaps.clear();
  const std::vector<float> parameters = testing::random_floats(parameter_count(a), random, 0.6);
  Objective fast(a);
  fast.load(parameters);
  std::vector<float> gradient(parameters.size(), std::nanf(""));
  fast.evaluate(problem.samples, problem.batch, s.lambda, gradient);

  std::vector<double> at(parameters.begin(), parameters.end());
  const auto value = [&] { return plain_objective(a, at, problem.samples, problem.batch, s.lambda).objective; };
  // |·| of the regulariser and ReLU have kinks: a parameter whose step crosses one shows two different one-sided
  // differences and is left out; few do. Without a kink they differ by h² f″ ≈ 1e-11.
  constexpr double h = 1e-6, smooth = 5e-11;
  const double here = value();
  std::size_t checked = 0;
  for (std::size_t i = 0; i < at.size(); ++i) {
    at[i] = parameters[i] + h;
    const double above = value();
    at[i] = parameters[i] - h;
    const double below = value();
    at[i] = parameters[i];
    if (std::fabs((above - here) - (here - below)) > smooth) continue;
    ++checked;
    EXPECT_NEAR(gradient[i], (above - below) / (2 * h), tolerance(gradient)) << "parameter " << i;
  }
  EXPECT_GE(checked, at.size() * 95 / 100);
}

class Gradients : public ::testing::TestWithParam<std::tuple<Family, double>> {};

TEST_P(Gradients, EqualNumericalDifferences) {
  const auto [family, lambda] = GetParam();
  expect_numerical_gradient({family, lambda});
}

TEST_P(Gradients, EqualNumericalDifferencesOfScaledFeaturesAndSeveralMasks) {
  const auto [family, lambda] = GetParam();
  expect_numerical_gradient({family, lambda, Activation::silu, true, true});
}

TEST_P(Gradients, EqualNumericalDifferencesWithRelu) {
  const auto [family, lambda] = GetParam();
  expect_numerical_gradient({family, lambda, Activation::relu});
}

INSTANTIATE_TEST_SUITE_P(EverySurrogate, Gradients,
                         ::testing::Combine(::testing::Values(Family::normal, Family::bernoulli, Family::categorical),
                                            ::testing::Values(0.0, 0.1)));

}  // namespace
}  // namespace macmi::maps
