#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <algorithm>

#include "baselines/gamma_distribution.hpp"
#include "baselines/models.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"

namespace macmi::baselines {
namespace {

using testing::parabola;

/// The definition, with whole matrices: (1/n) tr(KHLH), σ the median of the distances between standardised values.
double statistic_by_definition(const std::vector<double>& x, const std::vector<double>& y) {
  const auto n = static_cast<Eigen::Index>(x.size());
  const auto gram = [&](const std::vector<double>& v) {
    Eigen::Map<const Eigen::ArrayXd> raw(v.data(), n);
    const Eigen::ArrayXd s = (raw - raw.mean()) / std::sqrt((raw - raw.mean()).square().mean());
    std::vector<double> distances;
    for (Eigen::Index i = 0; i < n; ++i)
      for (Eigen::Index j = 0; j < i; ++j) distances.push_back(std::abs(s[i] - s[j]));
    std::sort(distances.begin(), distances.end());
    const double width = distances[distances.size() / 2];
    return Eigen::MatrixXd(Eigen::MatrixXd::NullaryExpr(n, n, [&](Eigen::Index i, Eigen::Index j) {
      return std::exp(-(s[i] - s[j]) * (s[i] - s[j]) / (2 * width * width));
    }));
  };
  const Eigen::MatrixXd h =
      Eigen::MatrixXd::Identity(n, n) - Eigen::MatrixXd::Constant(n, n, 1.0 / static_cast<double>(n));
  return (gram(x) * h * gram(y) * h).trace() / static_cast<double>(n);
}

TEST(Hsic, StatisticIsItsDefinition) {
  const auto t = parabola(150, 1, 0.5);
  // Single-precision kernels: 1e-7 relative each, against a statistic of order one.
  EXPECT_NEAR(hsic_test(t.x, t.y, HsicNull::gamma).statistic, statistic_by_definition(t.x, t.y), 1e-5);
}

TEST(Hsic, GammaTailHasItsClosedForms) {
  for (const double x : {0.01, 0.5, 1.0, 3.0, 20.0}) {
    EXPECT_NEAR(gamma_upper_tail(x, 1, 1), std::exp(-x), 1e-14);
    EXPECT_NEAR(gamma_upper_tail(x, 3, 2), std::exp(-x / 2) * (1 + x / 2 + x * x / 8), 1e-14);
    EXPECT_NEAR(gamma_upper_tail(x, 0.5, 2), std::erfc(std::sqrt(x / 2)), 1e-13);  // χ² with one degree
  }
  EXPECT_EQ(gamma_upper_tail(0, 2, 1), 1);
}

// ctest label long: moments over many permutations
TEST(Hsic, GammaMomentsAreThoseOfPermutations) {
  const auto t = parabola(300, 3, 0);
  TestOptions options;
  options.permutations = 1000;
  const CiResult gamma = hsic_test(t.x, t.y, HsicNull::gamma),
                 drawn = hsic_test(t.x, t.y, HsicNull::permutation, options);
  EXPECT_NEAR(gamma.null_mean, drawn.null_mean, 4 * drawn.null_sd / std::sqrt(1000.0) + 0.01 * drawn.null_mean);
  EXPECT_NEAR(gamma.null_sd / drawn.null_sd, 1, 0.15);  // the standard error of a standard deviation, and O(1/n)
  EXPECT_NEAR(gamma.p_value, drawn.p_value, 0.06);
}

// ctest label long: a rejection rate over many data sets
TEST(Hsic, RejectsAtItsLevelUnderIndependence) {
  std::size_t gamma = 0, permuted = 0;
  constexpr std::size_t repeats = 200;
  TestOptions options;
  options.permutations = 99;
  for (std::uint64_t seed = 0; seed < repeats; ++seed) {
    const auto t = parabola(60, 100 + seed, 0);
    options.seed = seed;
    gamma += hsic_test(t.x, t.y, HsicNull::gamma).p_value <= 0.05;
    permuted += hsic_test(t.x, t.y, HsicNull::permutation, options).p_value <= 0.05;
  }
  // 10 expected, standard deviation 3.1.
  EXPECT_LE(gamma, 20U);
  EXPECT_LE(permuted, 20U);
  EXPECT_GE(permuted, 2U);
}

TEST(Hsic, SeesDependenceWithoutCorrelation) {
  std::size_t found = 0;
  for (std::uint64_t seed = 0; seed < 20; ++seed) {
    const auto t = parabola(150, seed, 1);
    found += hsic_test(t.x, t.y, HsicNull::gamma).p_value <= 0.01;
  }
  EXPECT_GE(found, 19U);
}

// ctest label threads: one thread against several
TEST(Hsic, SameBitsForAnyNumberOfThreads) {
  const auto t = parabola(200, 5, 0.3);
  TestOptions one, many;
  one.permutations = many.permutations = 50;
  one.threads = 1, many.threads = 4;
  const CiResult a = hsic_test(t.x, t.y, HsicNull::permutation, one),
                 b = hsic_test(t.x, t.y, HsicNull::permutation, many);
  EXPECT_EQ(a.statistic, b.statistic);
  EXPECT_EQ(a.null_mean, b.null_mean);
  EXPECT_EQ(a.exceedances, b.exceedances);
}

TEST(Hsic, RefusesWhatItCannotTest) {
  const std::vector<double> ok(50, 1.0), nan(50, std::nan("")), few(5, 1.0);
  EXPECT_THROW(hsic_test(nan, ok, HsicNull::gamma), InputError);
  EXPECT_THROW(hsic_test(few, few, HsicNull::gamma), InputError);
  EXPECT_THROW(hsic_test(ok, few, HsicNull::gamma), InputError);
  EXPECT_EQ(hsic_test(ok, ok, HsicNull::gamma).p_value, 1);
}

}  // namespace
}  // namespace macmi::baselines
