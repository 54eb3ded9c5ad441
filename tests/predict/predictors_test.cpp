#include <gtest/gtest.h>

#include "base/random.hpp"
#include "predict/cross_fit.hpp"
#include "predict/polynomial.hpp"
#include "predict/residual_density.hpp"
#include "predict/tree_boosting.hpp"

namespace macmi::predict {
namespace {

std::vector<double> normals(std::size_t n, std::uint64_t seed) {
  base::RandomStream random{base::StreamKey(seed)};
  std::vector<double> values(n);
  for (double& v : values) v = random.normal();
  return values;
}

std::vector<std::uint32_t> all_rows(std::size_t n) {
  std::vector<std::uint32_t> rows(n);
  for (std::size_t i = 0; i < n; ++i) rows[i] = static_cast<std::uint32_t>(i);
  return rows;
}

/// One column of mean 0 and deviation 1: the slope is Σxy / (n + penalty).
TEST(Polynomials, APenalisedLineIsTheOneOfTheFormula) {
  const std::vector<double> values = normals(400, 1), noise = normals(400, 2);
  const Design design = make_design(Variable(values), ColumnScale::as_given);
  std::vector<double> y(400);
  double products = 0, sum = 0;
  for (std::size_t i = 0; i < 400; ++i) {
    y[i] = 2 * design.columns[0][i] + noise[i] + 3;
    products += design.columns[0][i] * y[i], sum += y[i];
  }
  const Polynomials polynomials(design);
  const auto rows = all_rows(400);
  const Eigen::MatrixXd fitted = polynomials.fit(Loss::squares(y), rows, 2, 25);
  EXPECT_NEAR(fitted(1, 0), products / (400 + 25), 1e-9);
  EXPECT_NEAR(fitted(0, 0), sum / 400, 1e-6);
}

/// With a split at the only place where the steps change, each side gets Σ downhill / (Σ curvature + 3).
TEST(StepTree, SplitsWhereTheStepsChange) {
  std::vector<double> x(64), downhill(64), other = normals(64, 3);
  for (std::size_t i = 0; i < 64; ++i)
    x[i] = static_cast<double>(i), downhill[i] = i < 25 ? -1 : 2;  // between two bins
  Variable both(x);
  both.add(Variable(other));
  const BinnedColumns binned(make_design(both, ColumnScale::as_given));
  const StepTree tree(binned, all_rows(64), downhill, std::vector<double>(64, 1.0));
  // Further splits are within one side and leave its steps between the same bounds.
  for (std::size_t i = 0; i < 64; ++i) {
    if (i < 25)
      EXPECT_LT(tree.step(binned, i), -8.0 / 11 + 1e-9) << i;  // a leaf has at least eight samples
    else
      EXPECT_GT(tree.step(binned, i), 16.0 / 11 - 1e-9) << i;
  }
}

TEST(CrossFit, NothingIsPredictedFromNoiseAndAJumpIsPredictedByTrees) {
  const std::size_t n = 1000;
  const std::vector<double> x = normals(n, 4), noise = normals(n, 5);
  const Design design = make_design(Variable(x), ColumnScale::as_given);
  const Parts parts = Parts::draw(n, 5, {}, {}, 1);
  const CrossFit nothing = cross_fit(Loss::squares(noise), design, parts);
  double gain = 0;
  for (std::size_t i = 0; i < n; ++i) gain += noise[i] * noise[i] / 2 - nothing.losses[i];
  EXPECT_LT(gain / static_cast<double>(n), 0.01);
  EXPECT_EQ(nothing.choice.trees, 0u);
  std::vector<double> jumps(n);
  for (std::size_t i = 0; i < n; ++i) jumps[i] = (std::abs(x[i] - 0.3) < 0.4 ? 3 : 0) + noise[i];
  const CrossFit found = cross_fit(Loss::squares(jumps), design, parts);
  EXPECT_GT(found.choice.trees, 10u);
  double left = 0;
  for (std::size_t i = 0; i < n; ++i) left += 2 * found.losses[i];
  EXPECT_LT(left / static_cast<double>(n), 1.35);  // the noise has variance 1, the whole about 2.7
}

TEST(CrossFit, PartsHoldEverySampleOnceAndUnitsTogether) {
  std::vector<std::int32_t> units(90);
  for (std::size_t i = 0; i < units.size(); ++i) units[i] = static_cast<std::int32_t>(i / 3);
  const Parts parts = Parts::draw(90, 5, {}, units, 7);
  std::vector<int> seen(90), part_of(90);
  for (std::size_t part = 0; part < 5; ++part) {
    EXPECT_EQ(parts.inside[part].size() + parts.outside[part].size(), 90u);
    for (const std::uint32_t i : parts.inside[part]) ++seen[i], part_of[i] = static_cast<int>(part);
  }
  EXPECT_EQ(seen, std::vector<int>(90, 1));
  for (std::size_t i = 0; i < 90; ++i) EXPECT_EQ(part_of[i], part_of[i / 3 * 3]);
}

/// The mean of the logarithm is minus the entropy: closed forms for a normal and for two separate normals.
TEST(ResidualDensity, HasTheEntropyOfItsSamples) {
  const auto minus_entropy = [](const std::vector<double>& values) {
    double sum = 0;
    for (const double log : log_densities(values)) sum += log;
    return sum / static_cast<double>(values.size());
  };
  std::vector<double> wide = normals(4000, 8), two = normals(4000, 9);
  for (double& v : wide) v *= 3;
  for (std::size_t i = 0; i < two.size(); ++i) two[i] += i % 2 ? 10 : -10;
  const double normal = 0.5 * std::log(2 * M_PI * M_E);
  // 0.05: four standard errors of the mean of the logarithms, whose deviation is 0.7.
  EXPECT_NEAR(minus_entropy(wide), -normal - std::log(3.0), 0.05);
  EXPECT_NEAR(minus_entropy(two), -normal - std::log(2.0), 0.05);
}

}  // namespace
}  // namespace macmi::predict
