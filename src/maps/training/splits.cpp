#include "maps/training/splits.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "base/random_permutation.hpp"

namespace macmi::maps {
namespace {

/// Samples that stay together, and the class of the first.
struct Bundle {
  std::vector<std::int32_t> samples;
  std::int32_t label = 0;
};

std::vector<Bundle> bundles_of(const Dataset& data, const std::vector<std::int32_t>& samples) {
  std::vector<Bundle> bundles;
  std::map<std::string, std::size_t> place;
  for (const std::int32_t i : samples) {
    const auto row = static_cast<std::size_t>(i);
    std::size_t at = bundles.size();
    if (!data.units.empty()) at = place.emplace(data.units[row], at).first->second;
    if (at == bundles.size())
      bundles.push_back({{}, data.target_is_categorical() ? data.target.columns.front().codes[row] : 0});
    bundles[at].samples.push_back(i);
  }
  return bundles;
}

/// Bundles in random order, class after class.
std::vector<Bundle> shuffled(const Dataset& data, const std::vector<std::int32_t>& samples,
                             const base::StreamKey& key) {
  const std::vector<Bundle> bundles = bundles_of(data, samples);
  base::RandomStream random(key);
  std::vector<Bundle> result;
  for (const std::uint32_t b : base::random_permutation(bundles.size(), random)) result.push_back(bundles[b]);
  std::stable_sort(result.begin(), result.end(), [](const Bundle& a, const Bundle& b) { return a.label < b.label; });
  return result;
}

}  // namespace

std::vector<std::int32_t> draw_folds(const Dataset& data, std::size_t folds, std::uint64_t seed) {
  std::vector<std::int32_t> all(data.samples()), fold(data.samples());
  std::iota(all.begin(), all.end(), 0);
  std::size_t next = 0;
  for (const Bundle& bundle : shuffled(data, all, base::StreamKey(seed).with("folds"))) {
    for (const std::int32_t i : bundle.samples) fold[static_cast<std::size_t>(i)] = static_cast<std::int32_t>(next);
    next = (next + 1) % folds;
  }
  return fold;
}

std::vector<ModelRows> split_rows(const Dataset& data, const std::vector<std::int32_t>& folds, double holdout,
                                  std::uint64_t seed) {
  const std::int32_t models = folds.empty() ? 1 : 1 + *std::max_element(folds.begin(), folds.end());
  std::vector<ModelRows> result(static_cast<std::size_t>(models));
  for (std::int32_t j = 0; j < models; ++j) {
    ModelRows& rows = result[static_cast<std::size_t>(j)];
    std::vector<std::int32_t> training;
    for (std::int32_t i = 0; i < static_cast<std::int32_t>(data.samples()); ++i) {
      const bool own = !folds.empty() && folds[static_cast<std::size_t>(i)] == j;
      if (own || folds.empty()) rows.apply.push_back(i);
      if (!own) training.push_back(i);
    }
    double due = 0.5;  // every holdout-th share of a bundle goes to validation, spread evenly over the classes
    for (const Bundle& bundle :
         shuffled(data, training, base::StreamKey(seed).with("holdout").with(static_cast<std::uint64_t>(j)))) {
      due += holdout;
      std::vector<std::int32_t>& to = due >= 1 ? rows.valid : rows.train;
      to.insert(to.end(), bundle.samples.begin(), bundle.samples.end());
      if (due >= 1) due -= 1;
    }
    std::sort(rows.train.begin(), rows.train.end());
    std::sort(rows.valid.begin(), rows.valid.end());
  }
  return result;
}

}  // namespace macmi::maps
