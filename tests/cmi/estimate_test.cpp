#include "macmi/estimate.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "macmi/error.hpp"

namespace macmi::estimation {
namespace {

using base::RandomStream;
using base::StreamKey;
using Column = std::vector<double>;

struct Sample {
  Column x, y, z;
};

/// z ~ N(0,1), x = z + e, y = z + a x + e: I(x; y | z) = ½ ln(1 + a²).
Sample gaussian(std::size_t n, double a, std::uint64_t seed) {
  RandomStream random(StreamKey(seed).with("gaussian"));
  Sample s;
  for (std::size_t i = 0; i < n; ++i) {
    const double z = random.normal(), x = z + random.normal();
    s.z.push_back(z);
    s.x.push_back(x);
    s.y.push_back(z + a * x + random.normal());
  }
  return s;
}

std::string message_of(const std::function<void()>& call) {
  try {
    call();
  } catch (const InputError& error) {
    return error.what();
  }
  return "no error";
}

TEST(Estimate, GaussianClosedFormsAtTwentyThousand) {
  // The estimator's sd at n = 20,000 and k = 5 is about sqrt(1.4 / n) = 0.008 (the terms have a variance near 1.4, seen
  // over seeds) and its bias is below 0.01 here: 5 sd plus that.
  const double tolerance = 5 * 0.008 + 0.01;
  for (const double a : {0.0, 0.4, 0.8, 2.0}) {
    const Sample s = gaussian(20000, a, 11);
    EXPECT_NEAR(cmi(s.x, s.y, s.z), 0.5 * std::log(1 + a * a), tolerance) << a;
    // Without z: var x = 2, cov(x, y) = 1 + 2a, var y = 1 + 2a² + 2a + 1.
    const double rho2 = (1 + 2 * a) * (1 + 2 * a) / (2 * (2 + 2 * a + 2 * a * a));
    EXPECT_NEAR(mutual_information(s.x, s.y), -0.5 * std::log(1 - rho2), tolerance) << a;
  }
}

TEST(Estimate, MultivariateGaussianClosedForm) {
  // x in R³ with unit variances, y = x₁ + x₂ + x₃ + 2e: I = ½ ln(1 + 3/4).
  RandomStream random(StreamKey(5));
  Column rows, y;
  for (int i = 0; i < 20000; ++i) {
    double sum = 0;
    for (int d = 0; d < 3; ++d) {
      rows.push_back(random.normal());
      sum += rows.back();
    }
    y.push_back(sum + 2 * random.normal());
  }
  EXPECT_NEAR(mutual_information(Variable::rows(rows, 3), y), 0.5 * std::log(1.75), 0.05);
}

TEST(Estimate, CategoricalTargetIsRoss) {
  // x | class c ~ N(3c, 1), two equal classes. I = ln 2 − ∫ of the entropy of the posterior, by quadrature.
  RandomStream random(StreamKey(6));
  Column x;
  std::vector<std::int32_t> c;
  for (int i = 0; i < 20000; ++i) {
    c.push_back(static_cast<std::int32_t>(random.below(2)));
    x.push_back(3 * c.back() + random.normal());
  }
  double conditional_entropy = 0;
  for (double v = -8; v < 11; v += 1e-3) {
    const double a = std::exp(-v * v / 2), b = std::exp(-(v - 3) * (v - 3) / 2);
    const double q = a / (a + b), entropy = -(q > 0 ? q * std::log(q) : 0) - (q < 1 ? (1 - q) * std::log(1 - q) : 0);
    conditional_entropy += (a + b) / (2 * std::sqrt(2 * M_PI)) * entropy * 1e-3;
  }
  // sd of the mean of terms bounded by about ln 2 + noise: 0.005 at n = 20,000; five of it.
  EXPECT_NEAR(mutual_information(x, Variable::categories(c)), std::log(2.0) - conditional_entropy, 0.025);
}

TEST(Estimate, CategoriesAloneApproachThePlugInValue) {
  // x uniform on 3 letters, y = x with probability 0.8 else uniform on the others: I in closed form.
  RandomStream random(StreamKey(8));
  std::vector<std::int32_t> x, y;
  for (int i = 0; i < 20000; ++i) {
    x.push_back(static_cast<std::int32_t>(random.below(3)));
    y.push_back(random.uniform() < 0.8 ? x.back() : static_cast<std::int32_t>((x.back() + 1 + random.below(2)) % 3));
  }
  const double truth = std::log(3.0) + 0.8 * std::log(0.8) + 0.2 * std::log(0.1);
  EXPECT_NEAR(mutual_information(Variable::categories(x), Variable::categories(y)), truth, 0.02);
}

TEST(Estimate, CategoricalConditioningSplitsTheSample) {
  // Within each class of z, x and y are independent; across classes both shift with it.
  RandomStream random(StreamKey(9));
  Column x, y;
  std::vector<std::int32_t> z;
  for (int i = 0; i < 6000; ++i) {
    z.push_back(static_cast<std::int32_t>(random.below(4)));
    x.push_back(3 * z.back() + random.normal());
    y.push_back(-2 * z.back() + random.normal());
  }
  EXPECT_GT(mutual_information(x, y), 0.5);
  EXPECT_NEAR(cmi(x, y, Variable::categories(z)), 0, 0.06);  // sd about 0.012 at n = 6000, k = 5
}

// ctest label threads: one thread against several
TEST(Estimate, EnginesAndThreadsGiveTheSameBits) {
  const Sample s = gaussian(700, 0.5, 3);
  for (const double k : {1.0, 5.0, 0.1, 699.0}) {
    EstimateOptions options;
    options.k = k;
    options.engine = Engine::brute_force;
    const double expected = cmi(s.x, s.y, s.z, options);
    options.engine = Engine::fast;
    for (const std::uint64_t threads : {1u, 2u, 3u}) {
      options.threads = threads;
      EXPECT_EQ(cmi(s.x, s.y, s.z, options), expected);
    }
  }
}

TEST(Estimate, DoesNotDependOnTheOrderOfColumnsInABlock) {
  const Sample s = gaussian(500, 0.5, 4), t = gaussian(500, 0.5, 5);
  Variable xy, yx;
  xy.add(Variable(s.x)).add(Variable(t.y));
  yx.add(Variable(t.y)).add(Variable(s.x));
  EstimateOptions options;
  options.transform = Transform::standardize;
  EXPECT_EQ(cmi(xy, s.y, s.z, options), cmi(yx, s.y, s.z, options));
  EXPECT_EQ(cmi(s.y, xy, s.z, options), cmi(s.y, yx, s.z, options));
}

TEST(Estimate, ScalesWithoutOverflowOrUnderflow) {
  // Powers of two change no bit of the scaled coordinates, even near the ends of the range.
  const Sample s = gaussian(400, 0.7, 12);
  for (const Transform transform : {Transform::block, Transform::standardize, Transform::ranks}) {
    EstimateOptions options;
    options.transform = transform;
    const double expected = cmi(s.x, s.y, s.z, options);
    for (const int exponent : {1000, -1000}) {
      Column x = s.x, y = s.y;
      for (double& v : x) v = std::ldexp(v, exponent);
      for (double& v : y) v = std::ldexp(v, -exponent);
      EXPECT_EQ(cmi(x, y, s.z, options), expected) << exponent;
    }
  }
  EstimateOptions none;
  none.transform = Transform::none;
  Column x = s.x, y = s.y, z = s.z;
  for (Column* c : {&x, &y, &z})
    for (double& v : *c) v = std::ldexp(v, 990);
  EXPECT_EQ(cmi(x, y, z, none), cmi(s.x, s.y, s.z, none));
}

TEST(Estimate, SubnormalNumbersAreNumbers) {
  Sample s = gaussian(300, 0.7, 13);
  for (double& v : s.x) v = std::round(v * 1000) * std::numeric_limits<double>::denorm_min();
  Column as_integers = s.x;
  for (double& v : as_integers) v = std::ldexp(v, 1074);
  EstimateOptions options;
  options.transform = Transform::standardize;
  EXPECT_EQ(cmi(s.x, s.y, s.z, options), cmi(as_integers, s.y, s.z, options));
}

TEST(Estimate, ChoosesTheRuleFromRepeatedValues) {
  Sample s = gaussian(1000, 0.5, 14);
  EXPECT_EQ(estimate_cmi(s.x, s.y, s.z).ties, TieRule::continuous);
  for (std::size_t i = 0; i < 49; ++i) s.x[i] = 0;  // 4.9% repeat
  EXPECT_EQ(estimate_cmi(s.x, s.y, s.z).ties, TieRule::continuous);
  s.x[49] = s.x[50] = 0;
  const Estimate e = estimate_cmi(Variable(std::span<const double>(s.x), "load"), s.y, s.z);
  EXPECT_EQ(e.ties, TieRule::mixed);
  EXPECT_NE(e.ties_reason.find("'load'"), std::string::npos) << e.ties_reason;
  EstimateOptions asked;
  asked.ties = TieRule::continuous;
  EXPECT_EQ(estimate_cmi(s.x, s.y, s.z, asked).ties, TieRule::continuous);
}

TEST(Estimate, TheMixedRuleIsRightWhereTheContinuousOneIsNot) {
  // z on 3 values, x = z + N(0,1), y ~ Bernoulli(sigmoid(z − 1)): independent given z.
  RandomStream random(StreamKey(15));
  Sample s;
  for (int i = 0; i < 1000; ++i) {
    s.z.push_back(static_cast<double>(random.below(3)));
    s.x.push_back(s.z.back() + random.normal());
    s.y.push_back(random.uniform() < 1 / (1 + std::exp(1 - s.z.back())) ? 1 : 0);
  }
  EstimateOptions options;
  options.k = 100;
  options.transform = Transform::none;
  EXPECT_NEAR(cmi(s.x, s.y, s.z, options), 0, 0.03);
  options.ties = TieRule::continuous;
  EXPECT_GT(cmi(s.x, s.y, s.z, options), 0.1);
}

TEST(Estimate, ConstantsCarryNoInformation) {
  const Sample s = gaussian(100, 1, 16);
  const Column constant(100, 3.0);
  EXPECT_EQ(cmi(constant, s.y, s.z), 0);
  EXPECT_EQ(mutual_information(s.x, constant), 0);
  EXPECT_EQ(cmi(s.x, s.y, constant), mutual_information(s.x, s.y));
  Variable padded = Variable(s.x);
  padded.add(Variable(constant));
  EXPECT_EQ(cmi(padded, s.y, s.z), cmi(s.x, s.y, s.z));
  const std::vector<std::int32_t> one_class(100, 7);
  EXPECT_EQ(mutual_information(s.x, Variable::categories(one_class)), 0);
  EXPECT_EQ(cmi(s.x, s.y, Variable::categories(one_class)), mutual_information(s.x, s.y));
}

TEST(Estimate, DuplicatedRowsStayFinite) {
  Sample s = gaussian(60, 1, 17);
  for (Column* c : {&s.x, &s.y, &s.z})
    for (std::size_t i = 0; i < 60; ++i) (*c)[i] = (*c)[i / 20];  // three distinct rows, radius 0 for k < 20
  for (const TieRule ties : {TieRule::continuous, TieRule::mixed}) {
    EstimateOptions options;
    options.ties = ties;
    for (const double k : {1.0, 5.0, 30.0, 59.0}) {
      options.k = k;
      EXPECT_TRUE(std::isfinite(cmi(s.x, s.y, s.z, options)));
      EXPECT_TRUE(std::isfinite(mutual_information(s.x, s.y, options)));
    }
  }
}

TEST(Estimate, ThreeSamplesAreEnough) {
  const Column x = {1, 2, 4}, y = {2, 3, 7};
  for (const double k : {1.0, 2.0}) {
    EstimateOptions options;
    options.k = k;
    EXPECT_TRUE(std::isfinite(mutual_information(x, y, options)));
  }
}

/// Samples that share no category with another one have no neighbour: they add 0 to the mean, and they remain
/// neighbours of the others where the category does not matter.
TEST(Estimate, SamplesAloneInTheirCellAddNothing) {
  Sample s = gaussian(100, 1, 18);
  std::vector<std::int32_t> c(100);
  for (std::size_t i = 0; i < 100; ++i) c[i] = static_cast<std::int32_t>(i % 3);
  c[10] = 8;
  c[20] = 9;
  const Estimate e = estimate_cmi(s.x, Variable::categories(c), s.z);
  EXPECT_EQ(e.left_out, 2u);
  EXPECT_EQ(e.n, 100u);
  EstimateOptions brute;
  brute.engine = Engine::brute_force;
  EXPECT_EQ(e.value, cmi(s.x, Variable::categories(c), s.z, brute));
  // Alone in z as well, they are nobody's neighbours: what is left is the estimate without them, over all 100.
  const Variable given = Variable::categories(c);
  Sample rest = s;
  std::vector<std::int32_t> c_rest = c;
  for (const int i : {20, 10}) {
    rest.x.erase(rest.x.begin() + i);
    rest.y.erase(rest.y.begin() + i);
    c_rest.erase(c_rest.begin() + i);
  }
  EstimateOptions none;
  none.transform = Transform::none;
  EXPECT_NEAR(cmi(s.x, s.y, given, none), 0.98 * cmi(rest.x, rest.y, Variable::categories(c_rest), none), 1e-12);
}

TEST(Estimate, CategoriesAloneGiveThePlugInValue) {
  // Cells of one sample included: Σ p ln(p(x,y,z) p(z) / (p(x,z) p(y,z))) of the shares themselves.
  const std::vector<std::int32_t> x = {0, 0, 1, 1, 2, 0, 1, 0}, y = {0, 0, 1, 0, 1, 1, 1, 0},
                                  z = {0, 0, 0, 0, 0, 1, 1, 1};
  const auto log = [](double v) { return std::log(v); };
  // Without z: cells (0,0) 3, (0,1) 1, (1,1) 2, (1,0) 1, (2,1) 1; x 4, 3, 1; y 4, 4.
  const double mi = (3 * log(3 * 8 / 16.0) + log(8 / 16.0) + 2 * log(2 * 8 / 12.0) + log(8 / 12.0) + log(8 / 4.0)) / 8;
  EXPECT_NEAR(mutual_information(Variable::categories(x), Variable::categories(y)), mi, 1e-12);
  // z = 0: (0,0) 2, (1,1) 1, (1,0) 1, (2,1) 1; x 2, 2, 1; y 3, 2. z = 1: (0,1), (1,1), (0,0); x 2, 1; y 1, 2.
  const double given =
      (2 * log(2 * 5 / 6.0) + log(5 / 4.0) + log(5 / 6.0) + log(5 / 2.0) + log(3 / 4.0) + log(3 / 2.0) + log(3 / 2.0)) /
      8;
  const Estimate e = estimate_cmi(Variable::categories(x), Variable::categories(y), Variable::categories(z));
  EXPECT_NEAR(e.value, given, 1e-12);
  EXPECT_EQ(e.ties, TieRule::counts);
  EXPECT_EQ(e.left_out, 0u);
}

TEST(Estimate, KLargerThanACellUsesTheCell) {
  // 20 samples of class 1 among 400: k = 50 still sees a clear separation.
  RandomStream random(StreamKey(19));
  Column x;
  std::vector<std::int32_t> c;
  for (int i = 0; i < 400; ++i) {
    c.push_back(i < 20);
    x.push_back(random.normal() + 10 * c.back());
  }
  EstimateOptions options;
  options.k = 50;
  const double p = 0.05, entropy = -p * std::log(p) - (1 - p) * std::log(1 - p);
  EXPECT_NEAR(mutual_information(x, Variable::categories(c), options), entropy, 0.05);
}

TEST(Estimate, RefusesBadInputByName) {
  const Sample s = gaussian(20, 1, 20);
  Column broken = s.x;
  broken[4] = std::nan("");
  EXPECT_NE(message_of([&] {
              cmi(Variable(std::span<const double>(broken), "smart_5"), s.y, s.z);
            }).find("'smart_5' holds NaN at sample 5"),
            std::string::npos);
  broken[4] = -std::numeric_limits<double>::infinity();
  EXPECT_NE(message_of([&] {
              cmi(s.x, Variable(std::span<const double>(broken), "smart_9"), {});
            }).find("'smart_9' holds an infinity"),
            std::string::npos);
  broken = s.x;
  broken[0] = 1.7e308;
  broken[1] = -1.7e308;
  EXPECT_NE(message_of([&] { cmi(broken, s.y, {}); }).find("spans more than a double can hold"), std::string::npos);
  EXPECT_NE(message_of([&] { cmi(s.x, Column(19, 1.0), {}); }).find("y has 19 samples where x has 20"),
            std::string::npos);
  EXPECT_NE(message_of([&] { cmi(s.x, Variable(), {}); }).find("at least one column"), std::string::npos);
  EXPECT_NE(message_of([&] { cmi(Column{1, 2}, Column{1, 2}, {}); }).find("at least 3"), std::string::npos);
  EstimateOptions options;
  options.k = 20;
  EXPECT_NE(message_of([&] { cmi(s.x, s.y, {}, options); }).find("k = 20 needs at least 21 samples"),
            std::string::npos);
  options.k = NeighbourCount::automatic();
  EXPECT_NE(message_of([&] { cmi(s.x, s.y, {}, options); }).find("definite --k"), std::string::npos);
  std::vector<std::int32_t> all_different(20);
  for (int i = 0; i < 20; ++i) all_different[static_cast<std::size_t>(i)] = i;
  EXPECT_NE(
      message_of([&] { mutual_information(s.x, Variable::categories(all_different)); }).find("merge rare categories"),
      std::string::npos);
}

}  // namespace
}  // namespace macmi::estimation
