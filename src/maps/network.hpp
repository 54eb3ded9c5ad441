#pragma once
#include <vector>

#include "base/random.hpp"
#include "learn/architecture.hpp"
#include "maps/torch.hpp"

namespace macmi {

/// Features of a batch of samples, group after group (groups_of).
struct FeatureBatch {
  std::vector<at::Tensor> values;  ///< [batch, features, steps · width]
  std::vector<at::Tensor>
      present;  ///< gru: [batch, features, steps], 0 where a step is missing; undefined: all present
};

/// The maps and the surrogate as functions of one flat array of parameters; the type and device of that array decide
/// where and in which precision they run.
class Network {
 public:
  explicit Network(Architecture architecture);
  const Architecture& architecture() const { return architecture_; }

  /// Initial parameters, U(±1/√fan_in), single precision.
  at::Tensor initial_parameters(const StreamKey& key) const;

  /// The parameter blocks as tensors; gradients flow back to the flat array in one piece.
  std::vector<at::Tensor> blocks(const at::Tensor& parameters) const;
  /// All maps side by side: [batch, map columns].
  at::Tensor maps(const std::vector<at::Tensor>& blocks, const FeatureBatch& batch) const;
  /// What the surrogate says of the target [batch, predictions] from the maps of the features kept by `mask`
  /// [batch, features]; the others count as zero.
  at::Tensor predict(const std::vector<at::Tensor>& blocks, const at::Tensor& maps, const at::Tensor& mask) const;
  /// The feature of each map column, and for each feature the columns that are its own [features, columns], 0/1.
  at::Tensor feature_of_column() const { return feature_of_column_; }
  at::Tensor columns_of_feature() const { return columns_of_feature_; }

 private:
  at::Tensor activate(const at::Tensor& x) const;
  at::Tensor encode(const MapGroup& group, const std::vector<at::Tensor>& blocks, std::size_t& next,
                    const at::Tensor& values, const at::Tensor& present) const;

  Architecture architecture_;
  std::vector<MapGroup> groups_;
  std::vector<std::int64_t> sizes_;
  std::vector<std::vector<std::int64_t>> shapes_;
  at::Tensor feature_of_column_, columns_of_feature_;
};

}  // namespace macmi
