// Where z leaves next to nothing of x or y the test says so.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "macmi/ci_test.hpp"

namespace macmi::citest {
namespace {

struct Samples {
  std::vector<double> x, y, z;
  std::vector<std::int32_t> class_of_z;
};

/// y is z and noise of this deviation; x another effect of z.
Samples samples(double noise, int n = 300) {
  base::RandomStream random(base::StreamKey(5).with("undecidable"));
  Samples s;
  for (int i = 0; i < n; ++i) {
    s.z.push_back(random.normal());
    s.x.push_back(s.z.back() + random.normal());
    s.y.push_back(s.z.back() + noise * random.normal());
    s.class_of_z.push_back(s.z.back() < -0.5 ? 0 : s.z.back() < 0.5 ? 1 : 2);
  }
  return s;
}

CiResult run(const Variable& x, const Variable& y, const Variable& z) {
  TestOptions options;
  options.permutations = 64;
  options.threads = 1;
  return ci_test(x, y, z, options);
}

bool says_so(const CiResult& result) {
  for (const std::string& note : result.notes)
    if (note.find("neither dependence nor independence") != std::string::npos) return true;
  return false;
}

TEST(Undecidable, CopiesAndNearCopiesOfWhatIsGiven) {
  // 0.05² / (1 + 0.05²) = 0.25% of the variance is left, and nothing of a copy; 0.5² leaves 20%.
  for (const double noise : {0.0, 0.05, 0.5}) {
    const Samples s = samples(noise);
    EXPECT_EQ(run(s.x, s.y, s.z).undecidable, noise < 0.1) << noise;
    EXPECT_EQ(run(s.y, s.x, s.z).undecidable, noise < 0.1) << noise;
    EXPECT_EQ(says_so(run(s.x, s.y, s.z)), noise < 0.1) << noise;
    EXPECT_FALSE(run(s.x, s.y, {}).undecidable) << "nothing is given";
  }
}

TEST(Undecidable, AClassThatIsGivenAndACurveOfWhatIsGiven) {
  Samples s = samples(0.05);
  const Variable c = Variable::categories(s.class_of_z, "c");
  EXPECT_TRUE(run(s.x, c, c).undecidable);
  EXPECT_FALSE(run(s.x, s.y, c).undecidable) << "three classes leave some of y";
  for (double& y : s.y) y = std::exp(y);
  EXPECT_TRUE(run(s.x, s.y, s.z).undecidable) << "no scale changes that";
}

TEST(Undecidable, MoreIsGivenThanSamplesCanTell) {
  base::RandomStream random{base::StreamKey(6)};
  std::vector<double> x(60), y(60);
  std::vector<std::int32_t> z(60);
  for (std::size_t i = 0; i < 60; ++i)
    x[i] = random.normal(), y[i] = random.normal(), z[i] = static_cast<std::int32_t>(i);
  EXPECT_TRUE(run(x, y, Variable::categories(z, "z")).undecidable);
}

}  // namespace
}  // namespace macmi::citest
