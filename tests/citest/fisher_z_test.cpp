#include "citest/fisher_z.hpp"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <Eigen/Dense>
#include <cmath>

#include "base/f_distribution.hpp"
#include "base/random.hpp"
#include "macmi/blanket.hpp"
#include "macmi/error.hpp"

namespace macmi::citest {
namespace {

using Column = std::vector<double>;

Column normals(std::size_t n, const std::string& stream) {
  base::RandomStream random(base::StreamKey(11).with(stream));
  Column c(n);
  for (double& v : c) v = random.normal();
  return c;
}

Column combine(const Column& a, double wa, const Column& b, double wb) {
  Column c(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) c[i] = wa * a[i] + wb * b[i];
  return c;
}

Variable block(const std::vector<const Column*>& columns) {
  Variable v;
  for (std::size_t c = 0; c < columns.size(); ++c)
    v.add(NumericColumn{columns[c]->data(), 1, fmt::format("c{}", c)}, columns[c]->size());
  return v;
}

/// Covariance of the columns in long double.
Eigen::Matrix<long double, -1, -1> covariance(const std::vector<const Column*>& columns) {
  const auto d = static_cast<Eigen::Index>(columns.size()), n = static_cast<Eigen::Index>(columns[0]->size());
  Eigen::Matrix<long double, -1, -1> m(n, d);
  for (Eigen::Index c = 0; c < d; ++c)
    for (Eigen::Index i = 0; i < n; ++i) m(i, c) = (*columns[static_cast<std::size_t>(c)])[static_cast<std::size_t>(i)];
  m.rowwise() -= m.colwise().mean().eval();
  return m.transpose() * m;
}

/// The textbook route that the library avoids: the partial correlation from the inverse of the covariance.
double partial_correlation(const Column& x, const Column& y, const std::vector<const Column*>& z) {
  std::vector<const Column*> all{&x, &y};
  all.insert(all.end(), z.begin(), z.end());
  const auto precision = covariance(all).inverse().eval();
  return static_cast<double>(-precision(0, 1) / std::sqrt(precision(0, 0) * precision(1, 1)));
}

TEST(FDistribution, ClosedForms) {
  // I_x(a, 1) = x^a, I_x(1, b) = 1 − (1 − x)^b; F with 2 and d: (1 + 2f/d)^{−d/2}; F with 1 and 1: Cauchy squared.
  for (const double x : {1e-9, 0.1, 0.5, 0.93, 1 - 1e-9})
    for (const double a : {0.5, 1.0, 3.7, 250.0}) {
      EXPECT_NEAR(base::incomplete_beta(a, 1, x), std::pow(x, a), 1e-13);
      EXPECT_NEAR(base::incomplete_beta(1, a, x), -std::expm1(a * std::log1p(-x)), 1e-13);
      EXPECT_NEAR(base::incomplete_beta(a, 2.5, x) + base::incomplete_beta(2.5, a, 1 - x), 1, 1e-11);
    }
  for (const double f : {0.01, 1.0, 4.0, 50.0}) {
    for (const double d : {1.0, 7.0, 2000.0})
      EXPECT_NEAR(base::f_upper_tail(f, 2, d), std::pow(1 + 2 * f / d, -d / 2), 1e-12);
    EXPECT_NEAR(base::f_upper_tail(f, 1, 1), 1 - 2 / M_PI * std::atan(std::sqrt(f)), 1e-12);
    // Many degrees of freedom in the denominator: the square of a normal, up to O(1/d).
    EXPECT_NEAR(base::f_upper_tail(f, 1, 1e6), base::normal_two_sided(std::sqrt(f)), 1e-6);
  }
}

TEST(FisherZ, MatchesThePartialCorrelationFromTheCovariance) {
  const std::size_t n = 200;
  const Column a = normals(n, "a"), b = normals(n, "b"), c = normals(n, "c"), e = normals(n, "e");
  const Column x = combine(a, 1, e, 0.7), y = combine(combine(a, 1, b, -0.5), 1, combine(c, 2, normals(n, "y"), 1), 1);
  for (const std::vector<const Column*>& z :
       std::vector<std::vector<const Column*>>{{}, {&a}, {&b}, {&a, &b}, {&c, &a, &b}}) {
    const CiResult result = fisher_z(x, y, block(z));
    const double r = partial_correlation(x, y, z);
    EXPECT_NEAR(result.statistic, -0.5 * std::log(1 - r * r), 1e-12);
    const double statistic = std::sqrt(static_cast<double>(n - z.size()) - 3) * std::atanh(r);
    EXPECT_NEAR(result.p_value, std::erfc(std::abs(statistic) / std::sqrt(2.0)), 1e-10);
    EXPECT_EQ(result.n, n);
  }
}

TEST(FisherZ, WilksLambdaIsTheRatioOfDeterminants) {
  const std::size_t n = 150;
  const Column a = normals(n, "1"), b = normals(n, "2"), c = normals(n, "3"), d = normals(n, "4"), z = normals(n, "5");
  const Column y1 = combine(combine(a, 0.4, z, 1), 1, normals(n, "6"), 1), y2 = combine(d, 1, b, 0.3);
  const Column y3 = combine(combine(c, 1, z, -1), 1, normals(n, "7"), 1);
  const auto det = [&](std::vector<const Column*> columns) {
    return std::log(static_cast<double>(covariance(columns).determinant()));
  };
  // I(x; y | z) of Gaussians: ½ ln |Σ_xz| |Σ_yz| / (|Σ_z| |Σ_xyz|).
  const double expected =
      0.5 * (det({&a, &b, &c, &z}) + det({&y1, &y2, &y3, &z}) - det({&z}) - det({&a, &b, &c, &y1, &y2, &y3, &z}));
  EXPECT_NEAR(fisher_z(block({&a, &b, &c}), block({&y1, &y2, &y3}), block({&z})).statistic, expected, 1e-11);
}

/// Rao's F is exact for two dimensions: p-values of independent Gaussians are uniform; 2,000 draws leave a
/// Kolmogorov-Smirnov distance below 1.95/√2000 = 0.044 with probability 0.999. Three dimensions are as good here.
// ctest label long: the distribution of p over many data sets
TEST(FisherZ, PValuesAreUniformUnderIndependenceAndTheNullMomentsAreRight) {
  for (const std::size_t d : {1, 2, 3}) {
    const std::size_t n = 25, draws = 2000;
    base::RandomStream random(base::StreamKey(12).with(d));
    Column p, statistic;
    double mean = 0, sd = 0;
    for (std::size_t t = 0; t < draws; ++t) {
      Column x(n * d), y(n * d), z(n);
      for (std::size_t i = 0; i < n; ++i) {
        z[i] = random.normal();
        for (std::size_t k = 0; k < d; ++k)
          x[i * d + k] = random.normal() + z[i], y[i * d + k] = random.normal() - 2 * z[i];
      }
      const CiResult r = fisher_z(Variable::rows(x, d), Variable::rows(y, d), z);
      p.push_back(r.p_value), statistic.push_back(r.statistic), mean = r.null_mean, sd = r.null_sd;
    }
    std::sort(p.begin(), p.end());
    double distance = 0;
    for (std::size_t i = 0; i < draws; ++i)
      distance = std::max(distance, std::abs(p[i] - static_cast<double>(i) / draws));
    EXPECT_LT(distance, 0.044) << d;
    double m = 0, v = 0;
    for (const double s : statistic) m += s / static_cast<double>(draws);
    for (const double s : statistic) v += (s - m) * (s - m) / static_cast<double>(draws);
    EXPECT_NEAR(m, mean, 4 * sd / std::sqrt(draws)) << d;  // 4 standard errors
    EXPECT_NEAR(std::sqrt(v), sd, 0.1 * sd) << d;          // 4 standard errors of a skewed sample's sd
  }
}

TEST(FisherZ, CategoriesGoInAsIndicators) {
  const std::size_t n = 300;
  base::RandomStream random(base::StreamKey(13));
  std::vector<std::int32_t> group(n);
  Column x(n), indicator1(n), indicator2(n);
  for (std::size_t i = 0; i < n; ++i) {
    group[i] = static_cast<std::int32_t>(random.below(3));
    x[i] = random.normal() + (group[i] == 1 ? 0.3 : 0);
    indicator1[i] = group[i] == 1, indicator2[i] = group[i] == 2;
  }
  const CiResult coded = fisher_z(x, Variable::categories(group), {}),
                 plain = fisher_z(x, block({&indicator1, &indicator2}), {});
  EXPECT_NEAR(coded.statistic, plain.statistic, 1e-12);
  EXPECT_NEAR(coded.p_value, plain.p_value, 1e-12);
  // One-way analysis of variance, by its sums of squares.
  double within = 0, total = 0, mean = 0;
  for (const double v : x) mean += v / static_cast<double>(n);
  for (std::int32_t g = 0; g < 3; ++g) {
    double sum = 0, count = 0;
    for (std::size_t i = 0; i < n; ++i) sum += group[i] == g ? x[i] : 0, count += group[i] == g;
    for (std::size_t i = 0; i < n; ++i) within += group[i] == g ? (x[i] - sum / count) * (x[i] - sum / count) : 0;
  }
  for (const double v : x) total += (v - mean) * (v - mean);
  const double f = (total - within) / 2 / (within / (static_cast<double>(n) - 3));
  EXPECT_NEAR(coded.p_value, base::f_upper_tail(f, 2, static_cast<double>(n) - 3), 1e-11);
}

TEST(FisherZ, DegenerateColumns) {
  const std::size_t n = 60;
  const Column x = normals(n, "x"), y = normals(n, "y"), z = normals(n, "z"), constant(n, 7.25);
  const Column copy = x, nearly = combine(z, 3, x, 1e-12), scaled = combine(z, -2e200, z, 0);
  const CiResult base = fisher_z(x, y, z);
  EXPECT_EQ(fisher_z(constant, y, z).p_value, 1);
  EXPECT_EQ(fisher_z(x, constant, {}).p_value, 1);
  EXPECT_EQ(fisher_z(nearly, y, z).p_value, 1);           // a linear function of z
  EXPECT_EQ(fisher_z(x, y, block({&x, &z})).p_value, 1);  // x itself is given
  EXPECT_NEAR(fisher_z(x, y, block({&z, &scaled, &constant})).p_value, base.p_value, 1e-12);
  EXPECT_NEAR(fisher_z(block({&x, &copy}), y, z).p_value, base.p_value, 1e-12);
  EXPECT_LT(fisher_z(x, copy, {}).p_value, 1e-100);
  EXPECT_TRUE(std::isfinite(fisher_z(x, copy, {}).statistic));
  Column tiny = x, huge = y;
  for (double& v : tiny) v *= 1e-300;
  for (double& v : huge) v = v * 1e300 / 10;
  EXPECT_NEAR(fisher_z(tiny, huge, z).p_value, base.p_value, 1e-12);
  Column bad = x;
  bad[3] = std::nan("");
  EXPECT_THROW(fisher_z(bad, y, {}), InputError);
  const Column a{1, 2, 3}, b{2, 1, 5};
  EXPECT_EQ(fisher_z(a, b, {}).p_value, 1);  // n − 3 = 0
  EXPECT_FALSE(fisher_z(a, b, {}).notes.empty());
}

/// A design that the normal equations cannot do: columns that agree to nine digits.
TEST(FisherZ, NearlyCollinearConditioningSet) {
  const std::size_t n = 400;
  const Column z = normals(n, "z"), e = normals(n, "e"), x = combine(z, 1, normals(n, "x"), 1),
               y = combine(e, 1, normals(n, "y"), 0.5);
  const Column almost = combine(z, 1, e, 1e-7);
  // z and almost together span z and e: the answer is that of conditioning on both.
  EXPECT_NEAR(fisher_z(x, y, block({&z, &almost})).statistic, fisher_z(x, y, block({&z, &e})).statistic, 1e-7);
}

/// Named variables against a target by fisher_z.
class FisherZTest : public TargetCiTest {
 public:
  FisherZTest(std::vector<std::string> names, std::vector<Variable> features, Variable target)
      : names_(std::move(names)), features_(std::move(features)), target_(std::move(target)) {}
  std::span<const std::string> features() const override { return names_; }
  CiResult test(std::size_t x, std::span<const std::size_t> given) const override {
    Variable z;
    for (const std::size_t feature : given) z.add(features_[feature]);
    return fisher_z(features_[x], target_, z);
  }

 private:
  std::vector<std::string> names_;
  std::vector<Variable> features_;
  Variable target_;
};

TEST(FisherZ, FindsTheBlanketOfALinearNetwork) {
  const std::size_t n = 2000;
  // a → t ← b, t → c ← d, a → e: blanket {a, b, c, d}.
  const Column a = normals(n, "a"), b = normals(n, "b"), d = normals(n, "d");
  const Column t = combine(combine(a, 1, b, 1), 1, normals(n, "t"), 0.7),
               c = combine(combine(t, 1, d, 1), 1, normals(n, "c"), 0.7);
  const Column e = combine(a, 1, normals(n, "e"), 0.5), noise = normals(n, "noise");
  const FisherZTest test({"noise", "e", "d", "c", "b", "a"}, {noise, e, d, c, b, a}, t);
  const Blanket found = find_blanket(test, {.alpha = 0.01, .threads = 2});
  EXPECT_EQ(found.members, (std::vector<std::string>{"a", "b", "c", "d"}));
  EXPECT_EQ(found.features[3].role, Role::co_parent);
  EXPECT_EQ(found.features[4].separating_set, (std::vector<std::string>{"a"}));
}

}  // namespace
}  // namespace macmi::citest
