// The objective of Algorithm 2: gradients, divergences, the regulariser, against numerical oracles and slow loops.
#include "maps/objective.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <tuple>

#include "maps/gru.hpp"
#include "maps/surrogate.hpp"
#include "small_network.hpp"

namespace macmi {
namespace {

using testing::random_numbers;
using testing::random_parameters;
using testing::small_architecture;
using testing::small_batch;

class Gradients : public ::testing::TestWithParam<std::tuple<Family, double>> {};

TEST_P(Gradients, EqualNumericalDifferences) {
  const auto [family, lambda] = GetParam();
  const Network network(small_architecture(family));
  RandomStream random(StreamKey(1).with("gradients"));
  const TrainingBatch batch = small_batch(network.architecture(), 9, random);
  const at::Tensor parameters = random_parameters(network.architecture(), random);
  const at::Tensor leaf = parameters.clone().requires_grad_(true);
  const at::Tensor gradient = torch::autograd::grad({objective(network, leaf, batch, lambda).objective}, {leaf})[0];
  const auto value = [&](const at::Tensor& at) {
    const at::NoGradGuard none;
    return objective(network, at, batch, lambda).objective.item<double>();
  };
  // Central differences err by h²·f''' ≈ 1e-10 and by rounding of 1e-16/h ≈ 1e-11. |·| of the regulariser has kinks: a
  // direction that crosses one shows two different one-sided differences and is left out; few do.
  constexpr double h = 1e-5;
  const double here = value(parameters);
  std::int64_t checked = 0;
  for (std::int64_t i = 0; i < parameters.numel(); ++i) {
    at::Tensor up = parameters.clone(), down = parameters.clone();
    up[i] += h;
    down[i] -= h;
    const double above = value(up), below = value(down);
    if (std::abs((above - here) - (here - below)) > 1e-7) continue;
    ++checked;
    EXPECT_NEAR(gradient[i].item<double>(), (above - below) / (2 * h), 1e-6) << "parameter " << i;
  }
  EXPECT_GE(checked, parameters.numel() * 95 / 100);
}

INSTANTIATE_TEST_SUITE_P(EverySurrogate, Gradients,
                         ::testing::Combine(::testing::Values(Family::normal, Family::bernoulli, Family::categorical),
                                            ::testing::Values(0.0, 0.1)));

TEST(Jeffreys, OfNormalsEqualsTheIntegral) {
  RandomStream random(StreamKey(2));
  const at::Tensor p = random_numbers({6, 4}, random),
                   q = random_numbers({6, 4}, random);  // means 0, 1; log variances 2, 3
  const at::Tensor closed = jeffreys(Family::normal, p, q);
  for (std::int64_t k = 0; k < 6; ++k) {
    double total = 0;
    for (std::int64_t d = 0; d < 2; ++d) {
      const auto density = [&](const at::Tensor& of, double y) {
        const double mean = of[k][d].item<double>(), variance = std::exp(of[k][d + 2].item<double>());
        return -0.5 * (std::log(2 * M_PI * variance) + (y - mean) * (y - mean) / variance);
      };
      // Trapezoids over ±40: exponentially exact for a smooth function that vanishes at both ends.
      constexpr double step = 0.01;
      for (double y = -40; y <= 40; y += step) {
        const double a = density(p, y), b = density(q, y);
        total += step * 0.5 * (std::exp(a) - std::exp(b)) * (a - b);
      }
    }
    EXPECT_NEAR(closed[k].item<double>(), total, 1e-8 * std::max(1.0, total));
  }
}

/// ½ Σ (p − q)(log p − log q) over the classes, from the probabilities.
double discrete_jeffreys(const std::vector<double>& p, const std::vector<double>& q) {
  double kl_pq = 0, kl_qp = 0;
  for (std::size_t c = 0; c < p.size(); ++c)
    kl_pq += p[c] * std::log(p[c] / q[c]), kl_qp += q[c] * std::log(q[c] / p[c]);
  return 0.5 * kl_pq + 0.5 * kl_qp;
}

TEST(Jeffreys, OfClassesEqualsTheSumOfDivergences) {
  RandomStream random(StreamKey(3));
  const at::Tensor p = random_numbers({5, 3}, random), q = random_numbers({5, 3}, random);
  const at::Tensor categorical = jeffreys(Family::categorical, p, q);
  const at::Tensor bernoulli = jeffreys(Family::bernoulli, p.narrow(1, 0, 1), q.narrow(1, 0, 1));
  for (std::int64_t k = 0; k < 5; ++k) {
    const auto softmax = [&](const at::Tensor& of) {
      std::vector<double> v;
      double sum = 0;
      for (std::int64_t c = 0; c < 3; ++c) sum += std::exp(of[k][c].item<double>());
      for (std::int64_t c = 0; c < 3; ++c) v.push_back(std::exp(of[k][c].item<double>()) / sum);
      return v;
    };
    const auto chance = [&](const at::Tensor& of) {
      const double one = 1 / (1 + std::exp(-of[k][0].item<double>()));
      return std::vector<double>{one, 1 - one};
    };
    EXPECT_NEAR(categorical[k].item<double>(), discrete_jeffreys(softmax(p), softmax(q)), 1e-12);
    EXPECT_NEAR(bernoulli[k].item<double>(), discrete_jeffreys(chance(p), chance(q)), 1e-12);
  }
}

TEST(LogLikelihood, OfEverySurrogateSumsToOne) {
  RandomStream random(StreamKey(4));
  const at::Tensor logits = random_numbers({1, 3}, random);
  double three = 0, two = 0, normal = 0;
  for (std::int64_t c = 0; c < 3; ++c)
    three += std::exp(log_likelihood(Family::categorical, logits, at::full({1, 1}, c, at::kLong)).item<double>());
  for (const double y : {0.0, 1.0})
    two += std::exp(
        log_likelihood(Family::bernoulli, logits.narrow(1, 0, 1), at::full({1, 1}, y, at::kDouble)).item<double>());
  for (double y = -30; y <= 30; y += 0.01)
    normal +=
        0.01 *
        std::exp(
            log_likelihood(Family::normal, logits.narrow(1, 0, 2), at::full({1, 1}, y, at::kDouble)).item<double>());
  EXPECT_NEAR(three, 1, 1e-12);
  EXPECT_NEAR(two, 1, 1e-12);
  EXPECT_NEAR(normal, 1, 1e-9);
}

/// Algorithm 2 line by line: one sample and one feature at a time, each map computed afresh, each surrogate pass alone.
double slow_objective(const Network& network, const at::Tensor& parameters, const TrainingBatch& batch, double lambda) {
  const at::NoGradGuard none;
  const auto blocks = network.blocks(parameters);
  const Family family = network.architecture().family;
  const auto maps_of = [&](std::int64_t sample) {
    FeatureBatch one;
    for (std::size_t g = 0; g < batch.features.values.size(); ++g) {
      one.values.push_back(batch.features.values[g].narrow(0, sample, 1));
      one.present.push_back(batch.features.present[g].defined() ? batch.features.present[g].narrow(0, sample, 1)
                                                                : at::Tensor());
    }
    return network.maps(blocks, one);
  };
  const std::int64_t n = batch.target.size(0);
  double total = 0;
  for (std::int64_t k = 0; k < n; ++k)
    total += log_likelihood(family, network.predict(blocks, maps_of(k), batch.mask.narrow(0, k, 1)),
                            batch.target.narrow(0, k, 1))
                 .item<double>() /
             static_cast<double>(n);
  for (std::int64_t i = 0; i < static_cast<std::int64_t>(network.architecture().features.size()); ++i)
    for (std::int64_t k = 0; k < n; ++k) {
      if (batch.mask[k][i].item<double>() == 0) continue;
      std::int64_t lender = -1;
      for (std::int64_t q = 0; q < batch.pair_sample.size(0); ++q)
        if (batch.pair_sample[q].item<std::int64_t>() == k && batch.pair_feature[q].item<std::int64_t>() == i)
          lender = batch.pair_swapped[q].item<std::int64_t>();
      const at::Tensor own = maps_of(k), other = maps_of(lender), swapped = own.clone(),
                       mask = batch.mask.narrow(0, k, 1);
      double distance = 0;
      for (std::int64_t c = 0; c < own.size(1); ++c) {
        if (network.feature_of_column()[c].item<std::int64_t>() != i) continue;
        swapped[0][c] = other[0][c];
        distance += std::pow(own[0][c].item<double>() - other[0][c].item<double>(), 2);
      }
      const double divergence =
          jeffreys(family, network.predict(blocks, own, mask), network.predict(blocks, swapped, mask)).item<double>();
      total -= lambda / static_cast<double>(n) * std::abs(distance - divergence);
    }
  return total;
}

TEST(Objective, EqualsAlgorithm2WrittenAsLoops) {
  for (const Family family : {Family::normal, Family::bernoulli, Family::categorical}) {
    const Network network(small_architecture(family, Activation::relu));
    RandomStream random(StreamKey(5).with("loops"));
    const TrainingBatch batch = small_batch(network.architecture(), 7, random);
    const at::Tensor parameters = random_parameters(network.architecture(), random);
    EXPECT_NEAR(objective(network, parameters, batch, 0.3).objective.item<double>(),
                slow_objective(network, parameters, batch, 0.3), 1e-12);
  }
}

TEST(Objective, OfSeveralMasksPerSampleIsTheMeanOfTheSingleOnes) {
  const Network network(small_architecture(Family::bernoulli));
  RandomStream random(StreamKey(8).with("masks"));
  const std::int64_t n = 6;
  const TrainingBatch one = small_batch(network.architecture(), n, random);
  TrainingBatch other = small_batch(network.architecture(), n, random);
  other.features = one.features, other.target = one.target;
  TrainingBatch both = one;
  both.mask = at::cat({one.mask, other.mask});
  both.mask_sample = at::cat({at::arange(n), at::arange(n)});
  both.pair_mask = at::cat({one.pair_mask, other.pair_mask + n});
  both.pair_sample = at::cat({one.pair_sample, other.pair_sample});
  both.pair_feature = at::cat({one.pair_feature, other.pair_feature});
  both.pair_swapped = at::cat({one.pair_swapped, other.pair_swapped});
  const at::Tensor parameters = random_parameters(network.architecture(), random).requires_grad_(true);
  const auto value_and_gradient = [&](const TrainingBatch& batch) {
    const at::Tensor value = objective(network, parameters, batch, 0.3).objective;
    return std::pair(value.item<double>(), torch::autograd::grad({value}, {parameters})[0]);
  };
  const auto [first, first_gradient] = value_and_gradient(one);
  const auto [second, second_gradient] = value_and_gradient(other);
  const auto [together, gradient] = value_and_gradient(both);
  EXPECT_NE(first, second);
  EXPECT_NEAR(together, (first + second) / 2, 1e-12);
  EXPECT_TRUE(at::allclose(gradient, (first_gradient + second_gradient) / 2, 0, 1e-12));
}

TEST(Gru, PassesItsStateOverMissingSteps) {
  RandomStream random(StreamKey(6));
  std::vector<GruLayer> layers;
  for (const std::int64_t in : {2, 3})
    layers.push_back({random_numbers({1, in, 9}, random), random_numbers({1, 3, 9}, random),
                      random_numbers({1, 1, 9}, random), random_numbers({1, 1, 9}, random)});
  const at::Tensor x = random_numbers({1, 1, 5, 2}, random),
                   present = at::tensor({1.0, 0.0, 1.0, 1.0, 0.0}, at::kDouble).view({1, 1, 5});
  const at::Tensor kept = x.index_select(2, at::tensor({0, 2, 3}, at::kLong));
  EXPECT_TRUE(at::allclose(gru_last_state(x, present, layers), gru_last_state(kept, at::Tensor(), layers), 0, 1e-14));
}

TEST(Network, MapsOfOneFeatureDoNotDependOnOthers) {
  const Network network(small_architecture(Family::normal));
  RandomStream random(StreamKey(7));
  TrainingBatch batch = small_batch(network.architecture(), 4, random);
  const auto blocks = network.blocks(random_parameters(network.architecture(), random));
  const at::Tensor before = network.maps(blocks, batch.features).clone();
  batch.features.values[2].select(1, 1).add_(1);  // the second of the vectors of 3 numbers: feature 3
  const at::Tensor change = (network.maps(blocks, batch.features) - before).abs().sum(0);
  for (std::int64_t c = 0; c < change.size(0); ++c)
    EXPECT_EQ(change[c].item<double>() > 0, network.feature_of_column()[c].item<std::int64_t>() == 3) << "column " << c;
}

}  // namespace
}  // namespace macmi
