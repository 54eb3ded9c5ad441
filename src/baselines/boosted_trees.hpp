#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/files/opened_library.hpp"

namespace macmi::baselines {

/// Rows of numbers with a class 0 or 1 each, as the trees take them.
struct LabelledRows {
  std::size_t columns = 0;
  std::vector<float> values;  ///< row after row
  std::vector<float> labels;
  std::size_t rows() const { return labels.size(); }
};

struct TreesOptions {
  int depth = 6;
  int trees = 100;
  double rate = 0.1;
  double rows_share = 0.8, columns_share = 0.8;  ///< rows drawn for each tree, columns for each node
  std::uint32_t seed = 0;
};

/// The probability of class 1 of each row of `test`, by gradient-boosted trees (Chen & Guestrin 2016) learned on
/// `train`. One thread; the same bits for the same rows and seed. Throws InputError where libxgboost cannot be opened.
std::vector<float> boosted_tree_probabilities(const LabelledRows& train, const LabelledRows& test,
                                              const TreesOptions& options);

base::LibraryState xgboost_state();

}  // namespace macmi::baselines
