#include "citest/permutation/z_regression.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"

namespace macmi::citest {
namespace {

/// Twelve columns, of which x depends on the product of two and y on a curve of a third.
struct Samples {
  knn::Block z, x, y;
  std::vector<double> x_noise, y_noise;
};

Samples many_columns(std::size_t n) {
  base::RandomStream random{base::StreamKey(12)};
  Samples s;
  s.z.columns.assign(12, std::vector<double>(n));
  s.x.columns.assign(1, std::vector<double>(n));
  s.y.columns.assign(1, std::vector<double>(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (auto& column : s.z.columns) column[i] = random.normal();
    s.x_noise.push_back(0.5 * random.normal());
    s.y_noise.push_back(0.5 * random.normal());
    s.x.columns[0][i] = s.z.columns[3][i] * s.z.columns[7][i] + s.x_noise.back();
    s.y.columns[0][i] = s.z.columns[5][i] * s.z.columns[5][i] / std::sqrt(2.0) + s.y_noise.back();
  }
  return s;
}

double variance_left(const ZRegression& z, const std::vector<double>& column) {
  const Eigen::VectorXd values =
      Eigen::Map<const Eigen::VectorXd>(column.data(), static_cast<Eigen::Index>(column.size()));
  return z.remainder(values).squaredNorm() / static_cast<double>(column.size());
}

TEST(ZRegression, FindsTheProductsThatMatterAmongManyColumns) {
  // 12 columns have 78 products of two, and 400 samples bear 40 terms. Noise has a variance of 0.25, of which 40 fitted
  // terms take a tenth; the rest of the tolerance is chance (the deviation of a variance of 400 is 7%).
  const Samples s = many_columns(400);
  const ZRegression chosen(s.z, 400, {&s.x, &s.y}), alone(s.z, 400);
  EXPECT_NEAR(variance_left(chosen, s.x.columns[0]), 0.25, 0.07);
  EXPECT_NEAR(variance_left(chosen, s.y.columns[0]), 0.25, 0.07);
  EXPECT_GT(variance_left(alone, s.x.columns[0]), 0.8) << "powers alone do not know the product";
  EXPECT_LE(chosen.fitted(), 41u);
}

TEST(ZRegression, FewColumnsHaveAllTheirProductsWhateverIsRegressed) {
  Samples s = many_columns(400);
  s.z.columns.resize(4);
  const ZRegression chosen(s.z, 400, {&s.x, &s.y}), alone(s.z, 400);
  EXPECT_EQ(variance_left(chosen, s.x.columns[0]), variance_left(alone, s.x.columns[0]));
}

}  // namespace
}  // namespace macmi::citest
