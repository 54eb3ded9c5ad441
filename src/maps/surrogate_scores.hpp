#pragma once
#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <mutex>
#include <span>
#include <vector>

#include "maps/network/architecture.hpp"

namespace macmi::maps {

/// The trained surrogate q_θ(Y | F_W, W): what it says of every sample, for any subset of features. Tests
/// on folded maps ask it what a feature adds to others (docs/maps.md); a sample is judged by the model that was learned
/// without it.
struct SurrogateSamples {
  /// Weights [in][out] and biases of the three layers, one after the other, and the best constant prediction.
  struct Model {
    std::vector<float> parameters, marginal;
  };
  std::size_t samples = 0, width = 0, predictions = 0;
  Activation activation = Activation::silu;
  std::size_t most_kept = 0;              ///< features that a mask kept at most: it knows nothing of larger sets
  std::vector<std::size_t> first_column;  ///< of each feature of the network; the number of columns at the end
  std::vector<std::int64_t> place;        ///< of each feature of the data set in the network; -1: it has none
  std::vector<Model> models;
  std::vector<std::int32_t> model;  ///< of each sample
  std::vector<float> maps;          ///< [sample][column]

  std::size_t columns() const { return first_column.back(); }
  /// Some of the samples, in this order.
  SurrogateSamples on(std::span<const std::size_t> rows) const;
};

}  // namespace macmi::maps

namespace macmi {

class SurrogateScores {
  using Mask = std::vector<std::uint32_t>;  ///< places, in increasing order
 public:
  explicit SurrogateScores(maps::SurrogateSamples samples) : s_(std::move(samples)) {}
  const maps::SurrogateSamples& samples() const { return s_; }

  /// How much the log-odds of the second of two classes (or a single mean) change for each sample when x becomes known
  /// beside `given`; empty where the surrogate was not trained on so many. Thread-safe, O(samples · width²).
  std::vector<double> score(std::size_t x, std::span<const std::size_t> given) const;

  /// The surrogate's gain for samples with these classes (0 or 1) from knowing `given`, nats per sample: its
  /// likelihood over that of the best constant.
  double gain(std::span<const std::size_t> given, std::span<const std::int32_t> classes) const;

 private:
  Mask mask_of(std::span<const std::size_t> features) const;
  std::shared_ptr<const std::vector<float>> predicted(const Mask& kept) const;
  std::vector<float> predict(const Mask& kept) const;

  maps::SurrogateSamples s_;
  mutable std::mutex mutex_;
  mutable std::map<Mask, std::shared_ptr<const std::vector<float>>> known_;  ///< searches ask for the same sets again
};

}  // namespace macmi
