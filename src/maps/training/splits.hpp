#pragma once
#include <cstdint>
#include <vector>

#include "macmi/dataset.hpp"

namespace macmi::maps {

/// The fold, 0 … folds-1, of every sample: classes of a categorical target in equal shares, samples of one unit
/// together.
std::vector<std::int32_t> draw_folds(const Dataset& data, std::size_t folds, std::uint64_t seed);

/// The samples that one model is trained on, validated on and applied to.
struct ModelRows {
  std::vector<std::int32_t> train, valid, apply;
};
/// One model for all samples when `folds` is empty, else one per fold, trained on the other folds. `holdout` is the
/// share of the training samples set aside for validation, classes in equal shares.
std::vector<ModelRows> split_rows(const Dataset& data, const std::vector<std::int32_t>& folds, double holdout,
                                  std::uint64_t seed);

}  // namespace macmi::maps
