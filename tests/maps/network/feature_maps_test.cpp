// What each map may depend on: its own feature's numbers, and nothing else.
#include "maps/network/feature_maps.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <limits>

#include "maps/every_simd.hpp"
#include "maps/network/plain_objective.hpp"
#include "small_network.hpp"

namespace macmi::maps {
namespace {

std::vector<float> maps_of(const Architecture& a, const std::vector<float>& parameters, const NetworkSamples& samples,
                           const std::vector<std::uint32_t>& rows, std::size_t threads = 1) {
  FeatureMaps maps(a);
  maps.set_threads(threads);
  maps.load(parameters);
  std::vector<float> values(rows.size() * maps.columns());
  maps.forward(samples, rows, values.data(), false);
  return values;
}

TEST(FeatureMaps, OfOneFeatureDoNotDependOnOthers) {
  const Architecture a = testing::small_architecture(Family::normal);
  base::RandomStream random(base::StreamKey(7));
  testing::SmallProblem problem(a, 4, random);
  const std::vector<float> parameters = testing::random_floats(parameter_count(a), random, 0.6);
  const std::vector<float> before = maps_of(a, parameters, problem.samples, problem.batch.rows);
  // The second of the vectors of 3 numbers: feature 3, columns 5 and 6.
  for (std::size_t k = 0; k < 4; ++k)
    for (std::size_t i = 0; i < 3; ++i) problem.values[2][(k * 2 + 1) * 3 + i] += 1;
  const std::vector<float> after = maps_of(a, parameters, problem.samples, problem.batch.rows);
  const std::size_t columns = a.map_columns();
  ASSERT_EQ(columns, 9U);
  for (std::size_t i = 0; i < before.size(); ++i)
    EXPECT_EQ(before[i] != after[i], i % columns == 5 || i % columns == 6) << "column " << i % columns;
}

/// Tests see ties: samples with equal inputs must have bit-equal maps, wherever they stand in a batch of any size.
TEST(FeatureMaps, OfEqualInputsHaveEqualBitsWhereverTheyStand) {
  const Architecture a = testing::small_architecture(Family::normal);
  base::RandomStream random(base::StreamKey(8).with("ties"));
  testing::SmallProblem problem(a, 11, random);
  const std::vector<float> parameters = testing::random_floats(parameter_count(a), random, 0.6);
  std::vector<std::uint32_t> rows;
  for (int i = 0; i < 2500; ++i) rows.push_back(static_cast<std::uint32_t>(random.below(11)));
  const std::size_t columns = a.map_columns();
  for (const std::size_t batch : {1, 3, 16, 67, 2500})
    for (const std::size_t threads : {1, 3}) {
      const std::vector<std::uint32_t> some(rows.begin(), rows.begin() + static_cast<std::ptrdiff_t>(batch));
      const std::vector<float> together = maps_of(a, parameters, problem.samples, some, threads);
      for (std::uint32_t of = 0; of < 11; ++of) {
        const std::vector<float> alone = maps_of(a, parameters, problem.samples, {of});
        for (std::size_t k = 0; k < batch; ++k)
          if (some[k] == of) {
            ASSERT_TRUE(
                std::equal(alone.begin(), alone.end(), together.begin() + static_cast<std::ptrdiff_t>(k * columns)))
                << "place " << k << " of " << batch;
          }
      }
    }
}

TEST(FeatureMaps, EqualThePlainOnesAndHaveTheSameBitsOnEveryInstructionSet) {
  for (const bool scaled : {false, true}) {
    const Architecture a = testing::small_architecture(Family::normal, Activation::silu, scaled);
    base::RandomStream random(base::StreamKey(9));
    testing::SmallProblem problem(a, 37, random);
    for (std::size_t g = 0; g < problem.values.size(); ++g)  // missing steps may hold anything
      for (std::size_t s = 0; s < problem.present[g].size(); ++s)
        if (problem.present[g][s] == 0) problem.values[g][2 * s] = std::numeric_limits<float>::quiet_NaN();
    const std::vector<float> parameters = testing::random_floats(parameter_count(a), random, 0.6);
    const std::vector<double> exact(parameters.begin(), parameters.end());
    const std::vector<float> maps = maps_of(a, parameters, problem.samples, problem.batch.rows);
    const PlainNetwork plain(a, exact);
    for (std::size_t k = 0; k < 37; ++k) {
      const std::vector<double> want = plain.maps(problem.samples, k);
      for (std::size_t c = 0; c < want.size(); ++c)
        EXPECT_NEAR(maps[k * want.size() + c], want[c], 3e-6 * std::max(1.0, std::fabs(want[c])));  // single precision
    }
    testing::for_every_simd([&](const std::string& simd) {
      EXPECT_TRUE(testing::same_bits(maps_of(a, parameters, problem.samples, problem.batch.rows), maps)) << simd;
    });
  }
}

}  // namespace
}  // namespace macmi::maps
