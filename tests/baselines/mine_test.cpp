// MINE against closed forms: correlated Gaussians, and independence.
#include <gtest/gtest.h>

#include <cmath>

#include "base/random.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"
#include "maps/every_simd.hpp"

namespace macmi::baselines {
namespace {

struct Pair {
  std::vector<double> x, y;
};

Pair gaussians(std::size_t n, double rho, std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("gaussian"));
  Pair pair;
  for (std::size_t i = 0; i < n; ++i) {
    pair.x.push_back(random.normal());
    pair.y.push_back(rho * pair.x[i] + std::sqrt(1 - rho * rho) * random.normal());
  }
  return pair;
}

double estimate(const Pair& pair, const MineOptions& options, const std::function<bool()>& keep_going = {}) {
  return mine(pair.x, pair.y, options, keep_going);
}

MineOptions quick(std::uint64_t seed) {
  MineOptions options;
  options.steps = 400, options.width = 32, options.batch = 200, options.seed = seed;
  return options;
}

TEST(Mine, NearTheInformationOfGaussians) {
  // The estimate from 1000 samples scatters by about 0.03 (standard error of a mean log-ratio), and is a lower bound
  // of what the critic can express.
  EXPECT_NEAR(estimate(gaussians(1000, 0.9, 1), quick(1)), -0.5 * std::log(1 - 0.81), 0.12);
  EXPECT_NEAR(estimate(gaussians(1000, 0, 2), quick(2)), 0, 0.05);
}

TEST(Mine, HasTheSameBitsOnEveryInstructionSet) {
  const Pair pair = gaussians(100, 0.5, 3);
  MineOptions options = quick(3);
  options.steps = 20, options.width = 8, options.batch = 40;
  const double best = estimate(pair, options);
  testing::for_every_simd([&](const std::string& simd) { EXPECT_EQ(estimate(pair, options), best) << simd; });
}

TEST(Mine, IsStoppedAndRefusesTooFewSamples) {
  int asked = 0;
  EXPECT_THROW(estimate(gaussians(200, 0.5, 4), quick(4), [&] { return ++asked < 3; }), Cancelled);
  EXPECT_THROW(estimate(gaussians(20, 0.5, 4), quick(4)), InputError);
}

}  // namespace
}  // namespace macmi::baselines
