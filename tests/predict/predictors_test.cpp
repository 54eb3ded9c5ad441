#include <gtest/gtest.h>

#include <array>
#include <cmath>
#include <functional>

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

/// The same tree by definition: every split of every column tried on the samples of a node themselves.
double plain_step(const BinnedColumns& binned, std::vector<std::uint32_t> rows, const std::vector<double>& downhill,
                  std::size_t level, std::size_t sample) {
  const auto sums = [&](const auto& belongs) {
    std::array<double, 2> sum{0, 0};  // downhill, samples; every curvature is 1
    for (const std::uint32_t i : rows)
      if (belongs(i)) sum[0] += downhill[i], ++sum[1];
    return sum;
  };
  const auto gain = [](const std::array<double, 2>& sum) { return sum[0] * sum[0] / (sum[1] + 3); };
  const auto all = sums([](std::uint32_t) { return true; });
  double best = 1e-9;
  std::size_t best_column = 0, best_bin = 0;
  for (std::size_t c = 0; c < binned.columns() && level < StepTree::depth; ++c)
    for (std::size_t b = 0; b + 1 < binned.used(c); ++b) {
      const auto left = sums([&](std::uint32_t i) { return binned.of(i)[c] <= b; });
      const std::array<double, 2> right{all[0] - left[0], all[1] - left[1]};
      if (left[1] < 8 || right[1] < 8 || gain(left) + gain(right) - gain(all) <= best) continue;
      best = gain(left) + gain(right) - gain(all), best_column = c, best_bin = b;
    }
  if (best <= 1e-9) return all[0] / (all[1] + 3);
  const auto goes_left = [&](std::uint32_t i) { return binned.of(i)[best_column] <= best_bin; };
  const bool left = goes_left(static_cast<std::uint32_t>(sample));
  std::erase_if(rows, [&](std::uint32_t i) { return goes_left(i) != left; });
  return plain_step(binned, rows, downhill, level + 1, sample);
}

TEST(StepTree, IsTheOneOfItsDefinition) {
  constexpr std::size_t n = 200;
  Variable columns;
  const std::vector<double> a = normals(n, 11), b = normals(n, 12);
  std::vector<double> coin(n), downhill = normals(n, 13);
  for (std::size_t i = 0; i < n; ++i) {
    coin[i] = b[i] + a[i] > 0.5;
    downhill[i] += a[i] > 0 ? 2 * coin[i] : b[i];
  }
  for (const auto& values : {std::cref(a), std::cref(b), std::cref(coin)}) columns.add(Variable(values.get()));
  const BinnedColumns binned(make_design(columns, ColumnScale::as_given));
  std::vector<std::uint32_t> rows = all_rows(n);
  rows.resize(150);
  const StepTree tree(binned, rows, downhill, std::vector<double>(n, 1.0));
  for (std::size_t i = 0; i < n; ++i) {
    EXPECT_NEAR(tree.step(binned, i), plain_step(binned, rows, downhill, 0, i), 1e-12) << i;
    if (i >= rows.size()) continue;
    EXPECT_EQ(tree.learned_steps()[i], tree.step(binned, i)) << i;
  }
}

/// At the end the slope of the penalised likelihood is zero: Σ (y − p) · term = penalty · coefficient.
TEST(Polynomials, OfTwoClassesEndWhereTheSlopeIsZero) {
  constexpr std::size_t n = 300;
  const std::vector<double> x = normals(n, 14), noise = normals(n, 15);
  std::vector<std::int32_t> codes(n);
  for (std::size_t i = 0; i < n; ++i) codes[i] = x[i] * x[i] + noise[i] > 0.8;
  const Polynomials polynomials(make_design(Variable(x), ColumnScale::as_given));
  const auto rows = all_rows(n);
  const Loss loss = Loss::classes(codes, 2);
  const Eigen::MatrixXd line = polynomials.fit(loss, rows, 2, 10);
  for (const Eigen::MatrixXd& known : {Eigen::MatrixXd(), line}) {
    const Eigen::MatrixXd fitted = polynomials.fit(loss, rows, 3, 10, known);
    const Eigen::MatrixXd scores = polynomials.scores(fitted),
                          terms[3] = {polynomials.scores(Eigen::Vector3d(1, 0, 0)),
                                      polynomials.scores(Eigen::Vector3d(0, 1, 0)),
                                      polynomials.scores(Eigen::Vector3d(0, 0, 1))};
    for (int t = 0; t < 3; ++t) {
      double slope = 0;
      for (std::size_t i = 0; i < n; ++i) {
        const auto row = static_cast<Eigen::Index>(i);
        slope += (codes[i] - 1 / (1 + std::exp(-scores(row, 0)))) * terms[t](row, 0);
      }
      // 1e-5 of 300 samples: the last step was below 1e-4, so the next one is about its square.
      EXPECT_NEAR(slope, t == 0 ? 0 : 10 * fitted(t, 0), 1e-5) << t;
    }
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
