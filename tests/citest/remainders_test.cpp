// Tests given many columns: what a regression leaves of x and y.
#include "citest/remainders/remainders.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <numeric>
#include <vector>

#include "base/random.hpp"
#include "citest/remainders/remainder_test.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {
namespace {

enum class Kind { numbers, two_classes, three_classes };

/// Six to ten columns z, and x and y that both follow curves and a product of them.
struct Samples {
  std::size_t n = 0, d = 0;
  std::vector<double> x = {}, y = {}, z = {};
  std::vector<std::int32_t> x_class = {}, y_class = {};
  Kind kind_x = Kind::numbers, kind_y = Kind::numbers;

  Variable of(const std::vector<double>& numbers, const std::vector<std::int32_t>& classes, Kind kind) const {
    return kind == Kind::numbers ? Variable(numbers) : Variable::categories(classes);
  }
  Variable vx() const { return of(x, x_class, kind_x); }
  Variable vy() const { return of(y, y_class, kind_y); }
  Variable vz() const { return Variable::rows(z, d, "z"); }
};

std::vector<std::int32_t> cut(const std::vector<double>& values, Kind kind) {
  std::vector<std::int32_t> classes;
  for (const double v : values) classes.push_back(kind == Kind::two_classes ? v > 0.3 : (v > -0.7) + (v > 0.7));
  return classes;
}

/// `link`: what the square of x's own noise adds to y.
Samples draw(std::size_t n, std::size_t d, double link, Kind kind_x, Kind kind_y, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("remainders").with(n).with(d));
  Samples s{.n = n, .d = d, .kind_x = kind_x, .kind_y = kind_y};
  for (std::size_t i = 0; i < n; ++i) {
    const double shared = random.normal();
    for (std::size_t c = 0; c < d; ++c) s.z.push_back(0.5 * shared + std::sqrt(0.75) * random.normal());
    const double* row = s.z.data() + i * d;
    const double own = random.normal(), common = std::tanh(2 * row[0]) + 0.7 * row[1] * row[2];
    s.x.push_back(common + 0.5 * row[3] + own);
    s.y.push_back(common - 0.5 * row[4] + 0.6 * (row[5] * row[5] - 1) + random.normal() + link * (own * own - 1));
  }
  s.x_class = cut(s.x, kind_x);
  s.y_class = cut(s.y, kind_y);
  return s;
}

TestOptions options(std::uint64_t seed) {
  TestOptions o;
  o.permutations = 199;
  o.seed = seed;
  o.threads = 1;
  return o;
}

double correlation(const std::vector<double>& a, const std::vector<double>& b) {
  const auto n = static_cast<double>(a.size());
  const double mean_a = std::accumulate(a.begin(), a.end(), 0.0) / n,
               mean_b = std::accumulate(b.begin(), b.end(), 0.0) / n;
  double ab = 0, aa = 0, bb = 0;
  for (std::size_t i = 0; i < a.size(); ++i) {
    ab += (a[i] - mean_a) * (b[i] - mean_b);
    aa += (a[i] - mean_a) * (a[i] - mean_a);
    bb += (b[i] - mean_b) * (b[i] - mean_b);
  }
  return ab / std::sqrt(aa * bb);
}

TEST(Remainders, HoldNothingOfWhatZSays) {
  const Samples s = draw(2000, 8, 0, Kind::numbers, Kind::numbers, 1);
  const ZTerms z(s.vz());
  const Remainders left = remainders(z, s.vx(), terms_for_target(z, s.vy()));
  std::vector<double> product, square;
  for (std::size_t i = 0; i < s.n; ++i) {
    product.push_back(s.z[i * 8 + 1] * s.z[i * 8 + 2]);
    square.push_back(std::pow(s.z[i * 8 + 5], 2));
  }
  EXPECT_GT(std::abs(correlation(s.x, product)), 0.3);  // it was there
  // 0.07 is three standard errors of a correlation of 2000 samples.
  EXPECT_LT(std::abs(correlation(left.x.numbers[0], product)), 0.07);
  EXPECT_LT(std::abs(correlation(left.y.numbers[0], product)), 0.07);
  EXPECT_LT(std::abs(correlation(left.y.numbers[0], square)), 0.07);
  EXPECT_LT(std::abs(correlation(left.x.numbers[0], left.y.numbers[0])), 0.07);
  EXPECT_GT(std::abs(correlation(s.x, s.y)), 0.3);
  // The noise of x has variance 1 of about 2.6; ranks and terms that were missed blur it.
  EXPECT_NEAR(left.x.left, 1 / 2.6, 0.12);
}

/// Matching pursuit as one writes it down: every step looks at the samples.
std::vector<std::size_t> plainly_chosen(const ZTerms& z, Eigen::VectorXd left, std::size_t steps) {
  std::vector<std::size_t> chosen;
  Eigen::MatrixXd basis = z.basis({});
  for (std::size_t step = 0; step < steps; ++step) {
    left -= basis * (basis.transpose() * left).eval();
    Eigen::Index best = 0;
    (z.terms().transpose() * left).cwiseAbs().maxCoeff(&best);
    chosen.push_back(static_cast<std::size_t>(best));
    basis = z.basis(chosen);
  }
  return chosen;
}

TEST(Remainders, TermsAreThoseThatMatchingPursuitChooses) {
  const Samples s = draw(600, 6, 0, Kind::numbers, Kind::numbers, 3);
  const ZTerms z(s.vz());
  for (const Variable& v : {s.vx(), s.vy()})
    for (const Eigen::VectorXd& column : regression_columns(v)) {
      const std::vector<std::size_t> chosen = z.chosen_for(column);
      EXPECT_GE(chosen.size(), 3u);
      EXPECT_EQ(chosen, plainly_chosen(z, column.array() - column.mean(), chosen.size()));
    }
}

/// Fast waves of z in both: hinges and powers cannot follow them, waves can.
TEST(Remainders, FastWavesOfZAreNotTakenForALink) {
  int rejected = 0;
  for (std::uint64_t seed = 1; seed <= 40; ++seed) {
    base::RandomStream random(base::StreamKey(seed).with("fast waves"));
    const std::size_t n = 600, d = 3;
    std::vector<double> x(n), y(n), z(n * d);
    for (std::size_t i = 0; i < n; ++i) {
      for (std::size_t c = 0; c < d; ++c) z[i * d + c] = random.normal();
      x[i] = std::sin(4 * z[i * d]) + std::sin(4 * z[i * d + 1]) + random.normal();
      y[i] = std::sin(4 * z[i * d]) - std::sin(4 * z[i * d + 2]) + random.normal();
    }
    rejected += ci_test(x, y, Variable::rows(z, d, "z"), options(seed)).p_value <= 0.05;
  }
  EXPECT_LE(rejected, 7);  // of 40 at 5%: hardly ever more by chance
}

// ctest label long: rejection rates over many data sets of every kind
TEST(Remainders, KeepTheirLevelForEveryKind) {
  // 40 true nulls of each combination at 5%: more than 7 would come by chance in 0.3% of such rows of nine.
  for (const Kind kind_x : {Kind::numbers, Kind::two_classes, Kind::three_classes})
    for (const Kind kind_y : {Kind::numbers, Kind::two_classes, Kind::three_classes}) {
      int rejected = 0;
      for (std::uint64_t seed = 1; seed <= 40; ++seed) {
        const Samples s = draw(400, 7, 0, kind_x, kind_y, seed);
        ASSERT_TRUE(asks_remainders(s.vx(), s.vy(), s.vz(), options(seed), {}));
        rejected += ci_test(s.vx(), s.vy(), s.vz(), options(seed)).p_value <= 0.05;
      }
      EXPECT_LE(rejected, 7) << static_cast<int>(kind_x) << " " << static_cast<int>(kind_y);
    }
}

TEST(Remainders, SeeACurvedLinkGivenTenColumns) {
  // Neighbourhoods in ten dimensions of 500 samples see it in one of four data sets (docs/benchmarks/conditioning.md).
  int found = 0;
  for (std::uint64_t seed = 1; seed <= 20; ++seed) {
    const Samples s = draw(500, 10, 0.6, Kind::numbers, Kind::numbers, seed);
    found += ci_test(s.vx(), s.vy(), s.vz(), options(seed)).p_value <= 0.05;
  }
  EXPECT_GE(found, 16);
}

TEST(Remainders, GiveTheSameBitsWithAndWithoutMemory) {
  const auto memory = make_test_memory();
  for (std::uint64_t seed = 1; seed <= 3; ++seed) {
    const Samples s = draw(300, 6, 0.5, Kind::numbers, Kind::two_classes, 1);  // the same z, other seeds of the test
    TestContext remembering;
    remembering.memory = memory.get();
    const CiResult plain = ci_test(s.vx(), s.vy(), s.vz(), options(seed));
    const CiResult with = ci_test(s.vx(), s.vy(), s.vz(), options(seed), remembering);
    EXPECT_EQ(plain.p_value, with.p_value);
    EXPECT_EQ(plain.tail_p, with.tail_p);
    EXPECT_EQ(plain.effect, with.effect);
    EXPECT_EQ(plain.null, with.null);
  }
}

TEST(Remainders, AreJudgedAgainUnderTheirOwnOptionsAlone) {
  const Samples s = draw(300, 6, 0.5, Kind::numbers, Kind::numbers, 2);
  const CiResult made = ci_test(s.vx(), s.vy(), s.vz(), options(1));
  CiResult stored = made;
  stored.null_histogram = {};  // journals leave it out
  const std::optional<CiResult> again = decide_again(stored, options(1));
  ASSERT_TRUE(again);
  EXPECT_EQ(again->p_value, made.p_value);
  EXPECT_EQ(again->null_histogram.counts, made.null_histogram.counts);
  EXPECT_EQ(again->null_histogram.low, made.null_histogram.low);
  TestOptions other = options(1);
  other.alpha = 0.01;
  EXPECT_FALSE(decide_again(stored, other));
}

TEST(Remainders, SayWhenNothingIsLeft) {
  Samples s = draw(400, 6, 0, Kind::numbers, Kind::numbers, 3);
  for (std::size_t i = 0; i < s.n; ++i) s.x[i] = s.z[i * 6] + 0.5 * s.z[i * 6 + 1] + 0.01 * s.x[i];
  const CiResult result = ci_test(s.vx(), s.vy(), s.vz(), options(1));
  EXPECT_TRUE(result.undecidable);
}

}  // namespace
}  // namespace macmi::citest
