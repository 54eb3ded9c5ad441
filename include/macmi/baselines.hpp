#pragma once
#include <cstdint>
#include <functional>
#include <vector>

#include "macmi/ci_test.hpp"
#include "macmi/options.hpp"
#include "macmi/variable.hpp"

namespace macmi {

/// The methods the paper compares with, behind the interface of ci_test: the same variables, options and results. Of
/// the options they use alpha (only to be reported), permutations, seed and threads; the same bits for any number of
/// threads. Text columns go in as indicators of their categories. Numbers are standardised column by column. Throw
/// InputError for NaN, different lengths, too few or (kernels, whose memory is quadratic) too many samples.

/// Where the p-value of HSIC comes from.
enum class HsicNull { gamma, permutation };

/// Independence by the Hilbert-Schmidt independence criterion (Gretton, Fukumizu, Teo, Song, Schölkopf & Smola 2007)
/// with Gaussian kernels of the median distance. `statistic` is n times the biased estimate, (1/n) tr(KHLH). O(n²), and
/// O(n²) for each permutation.
CiResult hsic_test(const Variable& x, const Variable& y, HsicNull null, const TestOptions& options = {},
                   const TestContext& context = {});

/// Conditional independence by the self-discrepancy test SDCIT (Lee & Honavar 2017): the maximum mean discrepancy
/// between the samples and the samples with y exchanged within pairs that are near in z, against its values on half
/// samples whose y were exchanged once before, centred and scaled to the whole sample; both without the part that is
/// due to pairs that differ in z. Pairs come from a near-minimum-weight matching (src/baselines/matching.hpp). Without
/// z it is HSIC, as in the paper.
CiResult sdcit_test(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options = {},
                    const TestContext& context = {});

struct CcitOptions {
  std::uint64_t rounds = 10;  ///< random partitions, each with two classifiers
  std::uint64_t trees = 100;
  double rate = 0.1;                     ///< of learning
  std::vector<int> depths = {3, 6, 10};  ///< the best on held-out samples of the first round is used
};

/// Conditional independence by classification, CCIT (Sen, Suresh, Shanmugam, Dimakis & Shakkottai 2017, with bias
/// correction): can gradient-boosted trees tell samples from samples whose y was taken from the nearest neighbour in z,
/// and better when they see x than without? `statistic` is that gain of accuracy; p is the mean over rounds of the
/// one-sided normal p-value of the paired gain on test samples. Needs libxgboost (InputError where there is none).
CiResult ccit_test(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options = {},
                   const TestContext& context = {}, const CcitOptions& ccit = {});

/// Mutual information I(x; y) by GENIE (Moon, Sricharan & Hero 2017): plug-in estimates with box-kernel densities of
/// many bandwidths h = l · n^(−1/(2d)), d the dimensions of x and y together, weighted so that the leading terms l, …,
/// l^d of their bias cancel. The smallest bandwidth is the one at which every sample has another in its box. Nats. O(n²
/// · d).
struct GenieOptions {
  std::uint64_t bandwidths = 40;
  double range = 2.0;         ///< largest bandwidth over the smallest
  double weight_limit = 1.0;  ///< bound η on the squared norm of the weights: variance against bias
  std::uint64_t threads = 0;
};
double genie(const Variable& x, const Variable& y, const GenieOptions& options = {});

/// Mutual information I(x; y) by MINE (Belghazi, Baratin, Rajeswar, Ozair, Bengio, Courville & Hjelm 2018): the
/// Donsker-Varadhan bound, maximised over a perceptron by Adam with the bias-corrected gradient. Nats. Learned by the
/// library's own networks; the same bits for the same data and seed.
struct MineOptions {
  std::uint64_t width = 64;  ///< units of the two hidden layers
  std::uint64_t steps = 3000;
  std::uint64_t batch = 500;
  double learning_rate = 5e-3;
  double average_rate = 0.01;  ///< of the moving average that corrects the gradient
  std::uint64_t seed = 0;
};
double mine(const Variable& x, const Variable& y, const MineOptions& options = {},
            const std::function<bool()>& keep_going = {});

}  // namespace macmi
