#include <algorithm>
#include <cmath>
#include <numeric>

#include "base/parallel.hpp"
#include "baselines/boosted_trees.hpp"
#include "baselines/points.hpp"
#include "macmi/baselines.hpp"
#include "macmi/error.hpp"

namespace macmi {
namespace {

constexpr const char* method = "ccit";
constexpr std::size_t least_samples = 60;

using Samples = std::vector<std::uint32_t>;

struct Data {
  baselines::Points x, y, z;
};

/// For each sample of `part` one whose y could as well be its own if x and y were independent given z: the nearest
/// other in z; without z any other (drawn).
Samples stand_ins(const Data& data, const Samples& part, base::RandomStream& random) {
  Samples result(part.size());
  for (std::size_t a = 0; a < part.size(); ++a) {
    std::size_t best = (a + 1 + random.below(part.size() - 1)) % part.size();
    if (data.z.d > 0) {
      double least = baselines::squared_distance(data.z, part[a], part[best]);
      for (std::size_t b = 0; b < part.size(); ++b) {
        if (b == a) continue;
        const double distance = baselines::squared_distance(data.z, part[a], part[b]);
        if (distance < least) least = distance, best = b;
      }
    }
    result[a] = part[best];
  }
  return result;
}

/// Samples of `part` as they are (class 1) and with the y of their stand-ins (class 0): columns x, y, z, or y, z alone.
baselines::LabelledRows labelled(const Data& data, const Samples& part, const Samples& y_from, bool with_x) {
  baselines::LabelledRows rows;
  rows.columns = (with_x ? data.x.d : 0) + data.y.d + data.z.d;
  const auto add = [&](const baselines::Points& points, std::size_t i) {
    for (std::size_t c = 0; c < points.d; ++c) rows.values.push_back(static_cast<float>(points.row(i)[c]));
  };
  for (const bool original : {true, false})
    for (std::size_t a = 0; a < part.size(); ++a) {
      if (with_x) add(data.x, part[a]);
      add(data.y, original ? part[a] : y_from[a]);
      add(data.z, part[a]);
      rows.labels.push_back(original ? 1.0F : 0.0F);
    }
  return rows;
}

/// One random partition: two thirds to learn from, the rest to be judged on. Neighbours do not cross it.
struct Partition {
  Samples train, test, train_y, test_y;
  Partition(const Data& data, base::RandomStream& random) {
    const Samples order = baselines::shuffled_order(data.x.n, random);
    const auto cut = order.begin() + static_cast<std::ptrdiff_t>(2 * order.size() / 3);
    train.assign(order.begin(), cut), test.assign(cut, order.end());
    train_y = stand_ins(data, train, random), test_y = stand_ins(data, test, random);
  }
  std::vector<bool> correct(const Data& data, bool with_x, const baselines::TreesOptions& trees) const {
    const baselines::LabelledRows asked = labelled(data, test, test_y, with_x);
    const auto probabilities =
        baselines::boosted_tree_probabilities(labelled(data, train, train_y, with_x), asked, trees);
    std::vector<bool> right(asked.rows());
    for (std::size_t i = 0; i < right.size(); ++i) right[i] = (probabilities[i] > 0.5F) == (asked.labels[i] > 0.5F);
    return right;
  }
};

/// The result of one partition: the mean gain in accuracy from x and its standard error over the test samples. The two
/// rows of one sample are no two observations: their gains are added first.
struct Gain {
  double mean = 0, error = 0;
  double z() const { return error > 0 ? mean / error : 0; }
  double p() const { return 0.5 * std::erfc(z() / std::sqrt(2.0)); }
};
Gain gain_of(const std::vector<bool>& with, const std::vector<bool>& without) {
  const std::size_t samples = with.size() / 2;
  std::vector<double> gains(samples);
  for (std::size_t i = 0; i < samples; ++i)
    for (const std::size_t row : {i, i + samples})
      gains[i] += 0.5 * (static_cast<double>(with[row]) - static_cast<double>(without[row]));
  Gain gain;
  const auto n = static_cast<double>(samples);
  gain.mean = std::accumulate(gains.begin(), gains.end(), 0.0) / n;
  double square = 0;
  for (const double g : gains) square += (g - gain.mean) * (g - gain.mean);
  gain.error = std::sqrt(square / (n - 1) / n);
  return gain;
}

/// The depth whose trees with x are right most often on test samples of a partition of its own.
int choose_depth(const Data& data, const CcitOptions& ccit, const base::StreamKey& key, std::size_t threads) {
  if (ccit.depths.size() == 1) return ccit.depths.front();
  base::RandomStream random(key.with("depth"));
  const Partition partition(data, random);
  std::vector<std::ptrdiff_t> right(ccit.depths.size());
  base::parallel_for(right.size(), 1, threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t d = begin; d < end; ++d) {
      const auto correct = partition.correct(
          data, true, {.depth = ccit.depths[d], .trees = static_cast<int>(ccit.trees), .rate = ccit.rate});
      right[d] = std::count(correct.begin(), correct.end(), true);
    }
  });
  return ccit.depths[static_cast<std::size_t>(std::max_element(right.begin(), right.end()) - right.begin())];
}

}  // namespace

CiResult ccit_test(const Variable& x, const Variable& y, const Variable& z, const TestOptions& options,
                   const TestContext& context, const CcitOptions& ccit) {
  baselines::check_samples(method, x, y, z, context, least_samples);
  if (ccit.rounds == 0 || ccit.depths.empty()) throw InputError("CCIT needs at least one round and one depth");
  const Data data{baselines::standardised_points(x), baselines::standardised_points(y),
                  baselines::standardised_points(z)};
  if (data.x.d == 0 || data.y.d == 0) return baselines::constant_result(method, x.samples(), data.x.d == 0 ? "x" : "y");
  const base::StreamKey key = baselines::stream_of(method, x, y, z, options, context);
  const int depth = choose_depth(data, ccit, key, options.threads);
  std::vector<Gain> gains(ccit.rounds);
  base::parallel_for(gains.size(), 1, options.threads, [&](std::size_t begin, std::size_t end) {
    for (std::size_t r = begin; r < end; ++r) {
      if (context.progress && !context.progress(r, gains.size())) throw Cancelled();
      base::RandomStream random(key.with(r));
      const Partition partition(data, random);
      const baselines::TreesOptions trees{.depth = depth,
                                          .trees = static_cast<int>(ccit.trees),
                                          .rate = ccit.rate,
                                          .seed = static_cast<std::uint32_t>(random() >> 33)};
      gains[r] = gain_of(partition.correct(data, true, trees), partition.correct(data, false, trees));
    }
  });
  CiResult result;
  result.n = x.samples();
  result.rule = method;
  result.p_value = 0;
  const auto rounds = static_cast<double>(gains.size());
  for (const Gain& gain : gains) {
    result.statistic += gain.mean / rounds;
    result.null_sd += gain.error / rounds;
    result.z_score += gain.z() / rounds;
    result.p_value += gain.p() / rounds;
  }
  result.effect = result.statistic;
  return result;
}

}  // namespace macmi
