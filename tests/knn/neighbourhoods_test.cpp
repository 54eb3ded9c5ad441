#include "knn/neighbourhoods.hpp"

#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "base/random.hpp"
#include "base/vector/simd.hpp"

namespace macmi::knn {
namespace {

/// How the coordinates of a random problem are drawn; each stresses another kind of tie.
enum class Values { normal, few_integers, zero_inflated, duplicated_rows, huge, tiny, subnormal, heavy_tailed, count };

double draw(Values kind, base::RandomStream& random) {
  switch (kind) {
    case Values::few_integers:
      return static_cast<double>(random.below(4));
    case Values::zero_inflated:
      return random.below(2) ? 0.0 : random.normal();
    case Values::huge:
      return random.uniform(-8e307, 8e307);
    case Values::tiny:
      return random.normal() * 1e-300;
    case Values::subnormal:
      return static_cast<double>(random.below(50)) * std::numeric_limits<double>::denorm_min();
    case Values::heavy_tailed:
      return std::tan(3.14159 * (random.uniform() - 0.5)) * 1e5;
    default:
      return random.normal();
  }
}

Block random_block(std::size_t n, std::size_t dimensions, std::size_t categories, Values kind,
                   base::RandomStream& random) {
  Block block;
  for (std::size_t d = 0; d < dimensions; ++d) {
    block.columns.emplace_back();
    for (std::size_t i = 0; i < n; ++i) block.columns.back().push_back(draw(kind, random));
  }
  if (kind == Values::duplicated_rows)
    for (auto& column : block.columns)
      for (std::size_t i = n / 2; i < n; ++i) column[i] = column[i - n / 2];
  const bool alone = random.below(4) == 0;  // else every category comes at least twice: i and i + 1 share one
  if (categories > 1)
    for (std::size_t i = 0; i < n; ++i)
      block.category.push_back(static_cast<std::int32_t>(alone ? random.below(4 * categories) : i / 2 % categories));
  return block;
}

struct Problem {
  JointSample sample;
  std::size_t k;
};

Problem random_problem(std::uint64_t seed) {
  base::RandomStream random(base::StreamKey(seed).with("neighbourhoods"));
  const auto kind = [&] { return static_cast<Values>(random.below(static_cast<std::uint64_t>(Values::count))); };
  const std::size_t n = seed % 300 == 0 ? 300 + random.below(500) : 4 + random.below(40);
  const std::size_t even = n / 2 * 2;
  const auto categories = [&] { return random.below(4) == 0 ? 1 + random.below(3) : 0; };
  Problem problem;
  problem.sample.n = even;
  // Up to 12 dimensions in all; z may be nothing, x and y may be categories alone.
  std::size_t x = random.below(5), y = random.below(5), z = random.below(5);
  std::size_t cx = categories(), cy = categories(), cz = categories();
  if (x == 0 && cx < 2) x = 1;
  if (y == 0 && cy < 2) y = 1;
  problem.sample.x = random_block(even, x, cx, kind(), random);
  problem.sample.y = random_block(even, y, cy, kind(), random);
  problem.sample.z = random_block(even, z, cz, kind(), random);
  problem.k = 1 + random.below(random.below(3) == 0 ? even - 1 : std::min<std::size_t>(even - 1, 8));
  return problem;
}

TEST(Neighbourhoods, FastEqualsBruteForceOnRandomProblems) {
  for (std::uint64_t seed = 0; seed < 3000; ++seed) {
    const Problem p = random_problem(seed);
    for (const Edge edge : {Edge::open, Edge::closed})
      ASSERT_EQ(neighbourhoods(p.sample, p.k, edge, 1), neighbourhoods_brute_force(p.sample, p.k, edge))
          << "seed " << seed << ", n " << p.sample.n << ", k " << p.k;
  }
}

// ctest label threads: one thread against several
TEST(Neighbourhoods, SameForAnyThreadsAndVectorWidths) {
  for (std::uint64_t seed = 0; seed < 1500; seed += 300) {  // the larger problems
    const Problem p = random_problem(seed);
    const Neighbourhoods expected = neighbourhoods_brute_force(p.sample, p.k, Edge::closed);
    for (const std::string& target : base::simd_targets()) {
      base::limit_simd(target);
      for (const std::size_t threads : {1, 2, 5})
        EXPECT_EQ(neighbourhoods(p.sample, p.k, Edge::closed, threads), expected) << target << " " << threads;
    }
    base::limit_simd("");
  }
}

/// More than 65,534 samples take 32-bit ranks and several levels of the tree; too many for brute force as a whole, so a
/// few samples are checked one by one.
TEST(Neighbourhoods, ManySamplesAgainstDirectCounts) {
  base::RandomStream random(base::StreamKey(7).with("large"));
  JointSample sample;
  sample.n = 70000;
  sample.x = random_block(sample.n, 1, 0, Values::normal, random);
  sample.y = random_block(sample.n, 1, 0, Values::zero_inflated, random);
  sample.z = random_block(sample.n, 2, 3, Values::normal, random);
  const std::size_t k = 10;
  const Neighbourhoods fast = neighbourhoods(sample, k, Edge::closed, 2);
  for (std::size_t i = 0; i < sample.n; i += 7001) {
    std::vector<double> joint;
    std::uint32_t z_count = 0;
    for (std::size_t j = 0; j < sample.n; ++j) {
      if (j == i || sample.z.category[j] != sample.z.category[i]) continue;
      const auto along = [&](const std::vector<double>& c) { return std::abs(c[i] - c[j]); };
      const double dz = std::max(along(sample.z.columns[0]), along(sample.z.columns[1]));
      joint.push_back(std::max({dz, along(sample.x.columns[0]), along(sample.y.columns[0])}));
      z_count += dz <= fast.radius[i];
    }
    std::nth_element(joint.begin(), joint.begin() + (k - 1), joint.end());
    EXPECT_EQ(fast.radius[i], joint[k - 1]);
    EXPECT_EQ(fast.z[i], z_count);
  }
}

}  // namespace
}  // namespace macmi::knn
