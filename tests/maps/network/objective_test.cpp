// The fast objective against the plain one, which is Algorithm 2 written as loops.
#include "maps/network/objective.hpp"

#include <gtest/gtest.h>

#include <cmath>

#include "maps/every_simd.hpp"
#include "maps/network/evaluate.hpp"
#include "maps/network/plain_objective.hpp"
#include "small_network.hpp"

namespace macmi::maps {
namespace {

using base::RandomStream;
using base::StreamKey;
using testing::small_architecture;
using testing::SmallProblem;

/// Single precision through a few layers: some 1e-7 of numbers around 1, Jeffreys divergences of up to 30 here.
void expect_equal(const ObjectiveValue& fast, const ObjectiveValue& plain) {
  EXPECT_NEAR(fast.log_likelihood, plain.log_likelihood, 2e-6 * std::max(1.0, std::fabs(plain.log_likelihood)));
  EXPECT_NEAR(fast.regulariser, plain.regulariser, 5e-6 * std::max(1.0, plain.regulariser));
  EXPECT_NEAR(fast.objective, plain.objective, 5e-6 * std::max(1.0, std::fabs(plain.objective)));
}

struct Evaluated {
  ObjectiveValue value;
  std::vector<float> gradient;
};

Evaluated evaluate(const Architecture& a, const std::vector<float>& parameters, const NetworkSamples& samples,
                   const TrainingBatch& batch, double lambda) {
  Objective objective(a);
  objective.load(parameters);
  Evaluated result{{}, std::vector<float>(parameters.size())};
  result.value = objective.evaluate(samples, batch, lambda, result.gradient);
  return result;
}

TEST(Objective, EqualsAlgorithm2WrittenAsLoops) {
  for (const Family family : {Family::normal, Family::bernoulli, Family::categorical})
    for (const Activation activation : {Activation::silu, Activation::relu})
      for (const bool scaled : {false, true}) {
        const Architecture a = small_architecture(family, activation, scaled);
        RandomStream random(StreamKey(5).with("loops"));
        const SmallProblem problem(a, 7, random, true);
        const std::vector<float> parameters = testing::random_floats(parameter_count(a), random, 0.6);
        const std::vector<double> exact(parameters.begin(), parameters.end());
        Objective fast(a);
        fast.load(parameters);
        expect_equal(fast.evaluate(problem.samples, problem.batch, 0.3, {}),
                     plain_objective(a, exact, problem.samples, problem.batch, 0.3));
      }
}

/// Three hundred masks with their swaps fill more than ten tiles of 96 rows; the last is not full.
TEST(Objective, OfManyTilesEqualsThePlainOne) {
  const Architecture a = small_architecture(Family::normal);
  RandomStream random(StreamKey(6).with("tiles"));
  const SmallProblem problem(a, 151, random, true);
  ASSERT_GT(problem.batch.masks.size() + problem.batch.swaps.size(), std::size_t{10 * 96});
  const std::vector<float> parameters = testing::random_floats(parameter_count(a), random, 0.4);
  const std::vector<double> exact(parameters.begin(), parameters.end());
  const Evaluated whole = evaluate(a, parameters, problem.samples, problem.batch, 0.3);
  expect_equal(whole.value, plain_objective(a, exact, problem.samples, problem.batch, 0.3));

  // The gradient of all masks is the mean of the masks' own; each of those fits into a tile.
  std::vector<double> mean(parameters.size(), 0.0);
  const auto masks = static_cast<double>(problem.batch.masks.size());
  for (std::size_t mask = 0; mask < problem.batch.masks.size(); ++mask) {
    TrainingBatch one;
    one.rows = problem.batch.rows;
    one.masks.add(problem.batch.masks.sample[mask], problem.batch.masks.features(mask));
    const auto swaps = problem.batch.swaps_of(mask);
    one.swaps.assign(swaps.begin(), swaps.end());
    one.first_swap = {0, static_cast<std::uint32_t>(swaps.size())};
    const Evaluated alone = evaluate(a, parameters, problem.samples, one, 0.3);
    for (std::size_t i = 0; i < mean.size(); ++i) mean[i] += alone.gradient[i] / masks;
  }
  // Sums of 300 numbers of the size of 1 in single precision, in two orders.
  for (std::size_t i = 0; i < mean.size(); ++i) EXPECT_NEAR(whole.gradient[i], mean[i], 2e-5) << "parameter " << i;
}

TEST(Objective, WithoutSwapsIsTheLikelihoodAndLeavesTheGradientAloneWhenNoneIsAsked) {
  const Architecture a = small_architecture(Family::bernoulli);
  RandomStream random(StreamKey(9));
  SmallProblem problem(a, 6, random);
  const std::vector<float> parameters = testing::random_floats(parameter_count(a), random, 0.6);
  Objective objective(a);
  objective.load(parameters);
  const ObjectiveValue with = objective.evaluate(problem.samples, problem.batch, 0.3, {});
  problem.batch.first_swap.clear(), problem.batch.swaps.clear();
  const ObjectiveValue without = objective.evaluate(problem.samples, problem.batch, 0.3, {});
  EXPECT_GT(with.regulariser, 0);
  EXPECT_EQ(without.regulariser, 0);
  EXPECT_EQ(without.objective, without.log_likelihood);
  EXPECT_NEAR(with.objective, with.log_likelihood - 0.3 * with.regulariser, 1e-12);
}

TEST(Objective, OfSeveralMasksPerSampleIsTheMeanOfTheSingleOnes) {
  const Architecture a = small_architecture(Family::bernoulli);
  RandomStream random(StreamKey(8).with("masks"));
  const SmallProblem one(a, 6, random), other(a, 6, random);
  TrainingBatch both = one.batch;
  for (std::size_t mask = 0; mask < other.batch.masks.size(); ++mask) {
    both.masks.add(other.batch.masks.sample[mask], other.batch.masks.features(mask));
    const auto swaps = other.batch.swaps_of(mask);
    both.swaps.insert(both.swaps.end(), swaps.begin(), swaps.end());
    both.first_swap.push_back(static_cast<std::uint32_t>(both.swaps.size()));
  }
  const std::vector<float> parameters = testing::random_floats(parameter_count(a), random, 0.6);
  const Evaluated first = evaluate(a, parameters, one.samples, one.batch, 0.3),
                  second = evaluate(a, parameters, one.samples, other.batch, 0.3),
                  together = evaluate(a, parameters, one.samples, both, 0.3);
  EXPECT_NE(first.value.objective, second.value.objective);
  EXPECT_NEAR(together.value.objective, (first.value.objective + second.value.objective) / 2, 1e-9);
  for (std::size_t i = 0; i < parameters.size(); ++i)
    EXPECT_NEAR(together.gradient[i], (first.gradient[i] + second.gradient[i]) / 2, 5e-6);  // single precision
}

TEST(Objective, HasTheSameBitsOnEveryInstructionSet) {
  for (const Family family : {Family::normal, Family::categorical}) {
    const Architecture a = small_architecture(family);
    RandomStream random(StreamKey(10));
    const SmallProblem problem(a, 23, random, true);
    const std::vector<float> parameters = testing::random_floats(parameter_count(a), random, 0.6);
    const Evaluated best = evaluate(a, parameters, problem.samples, problem.batch, 0.2);
    testing::for_every_simd([&](const std::string& simd) {
      const Evaluated other = evaluate(a, parameters, problem.samples, problem.batch, 0.2);
      EXPECT_EQ(other.value.objective, best.value.objective) << simd;
      EXPECT_TRUE(testing::same_bits(other.gradient, best.gradient)) << simd;
    });
  }
}

/// What is unknown is no input: its value must not matter, and predictions come from the features that are known.
TEST(Predictions, OfSamplesUseWhatEachSampleKnows) {
  const Architecture a = small_architecture(Family::normal);
  RandomStream random(StreamKey(11));
  SmallProblem problem(a, 5, random);
  const std::vector<float> parameters = testing::random_floats(parameter_count(a), random, 0.6);
  std::vector<std::uint8_t> known(5 * 6, 1);
  known[2 * 6 + 1] = known[2 * 6 + 4] = 0;
  problem.samples.known = known;
  Objective networks(a);
  networks.load(parameters);
  const std::vector<std::uint32_t> rows = {4, 2};
  const std::vector<float> got = predict_samples(networks, problem.samples, rows);
  const std::vector<double> exact(parameters.begin(), parameters.end());
  const PlainNetwork network(a, exact);
  const std::vector<std::uint32_t> all = {0, 1, 2, 3, 4, 5}, some = {0, 2, 3, 5};
  for (std::size_t k = 0; k < 2; ++k) {
    const std::vector<double> want = network.predict(network.maps(problem.samples, rows[k]), k == 0 ? all : some);
    for (std::size_t p = 0; p < a.predictions(); ++p) EXPECT_NEAR(got[k * a.predictions() + p], want[p], 5e-6);
  }
}

}  // namespace
}  // namespace macmi::maps
