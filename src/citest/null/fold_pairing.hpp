#pragma once
#include <cstddef>
#include <span>
#include <vector>

namespace macmi::citest {

/// Permuted statistics of one fold, element [b * scales + q], and the fold's share of the samples.
struct FoldStatistics {
  std::vector<double> values;
  double weight = 1;
};

/// Σ_f weight_f · T_f of permuted statistics, the folds' values of each scale paired by rank within every block of
/// `block` permutations: the largest with the largest, and so on. Each fold's map was learned on the other folds, so
/// that the statistics of two folds may be nearly the same number where the learned direction is noise. Adding values
/// of independent permutations would understate the spread of the sum. Values paired by rank have the widest spread
/// that any coupling of the folds can have. The first fold's permutations keep their order, and with it the way in
/// which its scales go together.
std::vector<double> add_by_rank(std::span<const FoldStatistics> folds, std::size_t scales, std::size_t block);

}  // namespace macmi::citest
