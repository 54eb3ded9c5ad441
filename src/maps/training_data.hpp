#pragma once
#include <vector>

#include "learn/array_file.hpp"
#include "learn/recipe.hpp"
#include "maps/objective.hpp"

namespace macmi {

/// All samples of a job, scaled, as tensors over the job file's memory, which must outlive it.
struct TrainingData {
  std::vector<at::Tensor> values;   ///< per group [samples, features, steps · width]
  std::vector<at::Tensor> present;  ///< per group [samples, features, steps] or undefined
  at::Tensor known;                 ///< [samples, features], 0 where a feature has no value; undefined: all known
  at::Tensor target;                ///< undefined when only maps are wanted
  std::int64_t samples = 0;
};
TrainingData get_training_data(const ArrayFile& job, const Architecture& architecture);

/// Some samples.
FeatureBatch features_of(const TrainingData& data, const at::Tensor& rows);

at::Tensor as_tensor(std::span<const std::int32_t> rows);
at::Tensor as_tensor(std::span<const std::int64_t> rows);

/// How the masks of a batch are drawn.
struct MaskDraw {
  MaskSampler& sampler;
  bool cover = false;
};

/// Which features samples have; undefined: all.
at::Tensor known_of(const TrainingData& data, const at::Tensor& rows);

/// The masks of a batch whose targets are there, with 0 where a sample lacks the feature.
void draw_masks(MaskDraw draw, RandomStream& random, const at::Tensor& known, std::size_t features,
                TrainingBatch& batch);

/// A whole training batch: samples, masks and, where `with_pairs`, the pairs of the regulariser; each feature's samples
/// are shuffled by a permutation of its own. Features without a map of their own (identity) make no pairs.
TrainingBatch draw_batch(const TrainingData& data, const at::Tensor& rows, const Architecture& architecture,
                         MaskDraw draw, RandomStream& random, bool with_pairs);

}  // namespace macmi
