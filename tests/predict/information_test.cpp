#include "predict/information.hpp"

#include <gtest/gtest.h>

#include "base/random.hpp"

namespace macmi::predict {
namespace {

constexpr std::size_t n = 1500;
using Column = std::vector<double>;

struct Draw {
  Column x = Column(n), y = Column(n);
  std::vector<Column> z;
};

/// x shares half of its variance with the first of `others` columns.
Draw draw(std::size_t others, std::uint64_t seed,
          const std::function<double(double x, const Draw& d, std::size_t i)>& f) {
  base::RandomStream random(base::StreamKey(seed).with("information"));
  Draw d;
  d.z.assign(others, Column(n));
  for (std::size_t i = 0; i < n; ++i) {
    for (Column& z : d.z) z[i] = random.normal();
    d.x[i] = random.normal() + (others > 0 ? d.z[0][i] : 0);
    d.y[i] = f(d.x[i], d, i) + random.normal();
  }
  return d;
}

Information effect(const Variable& x, const Variable& y, const std::vector<Column>& others) {
  Variable z, xz;
  for (const Column& column : others) z.add(Variable(column));
  if (!z.empty()) xz.add(z);
  xz.add(x);
  PredictiveInformation information(y, 3);
  information.choose_scales(xz);
  return mean_difference(information.log_density(xz), information.log_density(z));
}

/// Means over four data sets; the standard error of such a mean is about 0.01 nats, and four of them are allowed.
double mean_effect(std::size_t others, const std::function<double(double x, const Draw& d, std::size_t i)>& f) {
  double sum = 0;
  for (std::uint64_t seed = 1; seed <= 4; ++seed) {
    const Draw d = draw(others, seed, f);
    sum += effect(d.x, d.y, d.z).nats / 4;
  }
  return sum;
}

TEST(PredictiveInformation, IsTheClosedFormOfLinearGaussians) {
  // Given z the variance of x is 1: I = log(1 + weight²) / 2, however many columns z has.
  for (const std::size_t others : {0, 1, 4})
    EXPECT_NEAR(mean_effect(others, [](double x, const Draw&, std::size_t) { return x; }), 0.5 * std::log(2.0), 0.04)
        << others;
}

TEST(PredictiveInformation, SeesWhatHangsOnTheGiven) {
  // y = (x − z₁) z₂ + noise: given z it is normal with variance 1 + z₂², so that I = E log(1 + z₂²) / 2 = 0.2667.
  const auto product = [](double x, const Draw& d, std::size_t i) { return (x - d.z[0][i]) * d.z[1][i]; };
  EXPECT_NEAR(mean_effect(2, product), 0.2667, 0.04);
}

TEST(PredictiveInformation, IsNothingWhereXTellsNothingNew) {
  const auto of_z = [](double, const Draw& d, std::size_t i) { return 2 * d.z[0][i] + d.z[1][i] * d.z[1][i]; };
  EXPECT_NEAR(mean_effect(3, of_z), 0, 0.005);
}

TEST(PredictiveInformation, DoesNotChangeWithTheScaleOfTheTarget) {
  const Draw d = draw(1, 5, [](double x, const Draw&, std::size_t) { return x; });
  Column cubed = d.y;
  for (double& v : cubed) v = v * v * v;
  EXPECT_NEAR(effect(d.x, cubed, d.z).nats, effect(d.x, d.y, d.z).nats, 0.03);
}

TEST(PredictiveInformation, OfAClassIsTheDifferenceOfEntropies) {
  // y = 1 with probability 0.9 where x > 0, else 0.1: I = log 2 − H(0.9).
  base::RandomStream random(base::StreamKey(6));
  Column x(n);
  std::vector<std::int32_t> y(n), kind(n);
  for (std::size_t i = 0; i < n; ++i) {
    x[i] = random.normal();
    kind[i] = x[i] > 0 ? 7 : 2;
    y[i] = (random.uniform() < 0.9) == (x[i] > 0) ? 1 : 0;
  }
  const double truth = std::log(2.0) + 0.9 * std::log(0.9) + 0.1 * std::log(0.1);
  EXPECT_NEAR(effect(x, Variable::categories(y), {}).nats, truth, 0.06);  // three standard errors of one data set
  EXPECT_NEAR(effect(Variable::categories(kind), Variable::categories(y), {}).nats, truth, 0.06);
}

TEST(PredictiveInformation, TheErrorOfAMeanIsTheOneOfItsUnits) {
  const std::vector<double> more{1, 2, 3, 4}, fewer{0, 0, 0, 0};
  EXPECT_NEAR(mean_difference(more, fewer).error, std::sqrt(5.0) / 4, 1e-12);
  EXPECT_NEAR(mean_difference(more, fewer, {0, 0, 1, 1}).error, std::sqrt(8.0) / 4, 1e-12);
}

}  // namespace
}  // namespace macmi::predict
