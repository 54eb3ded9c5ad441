#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"

namespace macmi {

/// The distribution P_W of block-dropout: which maps the surrogate sees.
enum class MaskRule : std::int64_t {
  uniform_masks,  ///< every mask with 1 … `most` ones alike: the paper's text
  uniform_sizes,  ///< every number of ones alike, then every mask of that size: the authors' published code
  half_singles,   ///< one map alone half of the time, every other number of ones alike
  all_kept,       ///< no dropout: the naive choice that the paper warns of, to show why
};

/// Draws masks of `features` bits of which 1 … `most` are one.
class MaskSampler {
 public:
  MaskSampler(MaskRule rule, std::size_t features, std::size_t most);
  /// The probability of each number of ones, beginning with 1.
  const std::vector<double>& sizes() const { return sizes_; }
  /// One mask, into `mask` of `features` numbers. All-ones masks of one size are equally likely.
  void draw(RandomStream& random, std::span<float> mask);
  /// Masks that keep every feature once between them, appended row by row; how many. Sizes are drawn as ever, the
  /// last mask takes what is left.
  std::size_t draw_cover(RandomStream& random, std::vector<float>& masks);

 private:
  std::size_t draw_size(RandomStream& random) const;
  std::vector<double> sizes_;
  std::vector<std::size_t> order_;
};

/// A permutation of 0 … n-1 (Fisher & Yates).
std::vector<std::int64_t> random_permutation(std::size_t n, RandomStream& random);

}  // namespace macmi
