#include <gtest/gtest.h>

#include <cmath>
#include <numeric>

#include "baselines/ensemble_weights.hpp"
#include "baselines/models.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"

namespace macmi::baselines {
namespace {

TEST(Genie, WeightsCancelTheLeadingBiasWithinTheirLimit) {
  std::vector<double> factors;
  for (int l = 0; l < 40; ++l) factors.push_back(0.5 + 0.025 * l);
  for (const double limit : {0.1, 1.0, 100.0, 1e6}) {
    const auto w = ensemble_weights(factors, 3, 3, 2000, limit);
    EXPECT_NEAR(std::accumulate(w.begin(), w.end(), 0.0), 1, 1e-9);
    EXPECT_LE(std::inner_product(w.begin(), w.end(), w.begin(), 0.0), limit * (1 + 1e-6));
    double largest = 0;
    for (int j = 1; j <= 3; ++j) {
      double moment = 0;
      for (std::size_t l = 0; l < w.size(); ++l) moment += w[l] * std::pow(factors[l], j);
      largest = std::max(largest, std::abs(moment) * std::pow(2000, 0.5 - j / 6.0));
    }
    // Equal weights are what no ensemble would be worse than.
    double equal = 0;
    for (int j = 1; j <= 3; ++j) {
      double moment = 0;
      for (const double f : factors) moment += std::pow(f, j) / 40;
      equal = std::max(equal, moment * std::pow(2000, 0.5 - j / 6.0));
    }
    EXPECT_LT(largest, equal);
    if (limit == 1e6) {
      EXPECT_NEAR(largest, 0, 1e-5);
    }
  }
}

/// y = x + noise with correlation rho; I = −½ ln(1 − rho²).
double gaussian_estimate(double rho, std::size_t n, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("gaussian"));
  std::vector<double> x, y;
  for (std::size_t i = 0; i < n; ++i) {
    x.push_back(random.normal());
    y.push_back(rho * x.back() + std::sqrt(1 - rho * rho) * random.normal());
  }
  return genie(x, y);
}

TEST(Genie, FindsTheInformationOfUniformNoise) {
  // x uniform on [0, 1], y = x + U[−e, e]: h(y) − h(noise) = e − ln 2e for e ≤ ½ (a trapezoid's entropy is e).
  const double e = 0.2, truth = e - std::log(2 * e);
  double mean = 0;
  for (std::uint64_t seed = 0; seed < 3; ++seed) {
    base::RandomStream random(base::StreamKey(seed).with("uniform"));
    std::vector<double> x, y;
    for (int i = 0; i < 1000; ++i) x.push_back(random.uniform()), y.push_back(x.back() + random.uniform(-e, e));
    mean += genie(x, y) / 3;
  }
  // Boxes that hold a neighbour of every sample are wide at 1000 samples: a bias of a tenth of a nat remains.
  EXPECT_NEAR(mean, truth, 0.15);
}

TEST(Genie, NearTheClosedFormOfGaussians) {
  for (const double rho : {0.0, 0.6}) {
    double mean = 0;
    for (std::uint64_t seed = 0; seed < 3; ++seed) mean += gaussian_estimate(rho, 1000, seed) / 3;
    EXPECT_NEAR(mean, -0.5 * std::log(1 - rho * rho), 0.1);
  }
}

TEST(Genie, RefusesWhatItCannotEstimate) {
  const std::vector<double> copies = {1, 1, 2, 2, 3, 3, 4, 4, 5, 5, 6, 6, 7, 7, 8, 8, 9, 9, 10, 10};
  EXPECT_THROW(genie(copies, copies), InputError);
  EXPECT_EQ(genie(std::vector<double>(30, 1.0), std::vector<double>(30, 2.0)), 0);
}

}  // namespace
}  // namespace macmi::baselines
