#pragma once
#include <cstddef>
#include <cstdint>
#include <vector>

#include "base/random.hpp"

namespace macmi::maps {

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
  std::size_t features() const { return order_.size(); }
  /// The features that one mask keeps, in increasing order. Masks of one size are equally likely.
  std::vector<std::uint32_t> draw(base::RandomStream& random);
  /// Masks that keep every feature once between them. Sizes are drawn as for one mask; the last takes the rest.
  std::vector<std::vector<std::uint32_t>> draw_cover(base::RandomStream& random);

 private:
  std::size_t draw_size(base::RandomStream& random) const;
  /// The next of a random order of the features, of which `drawn` are fixed.
  std::uint32_t draw_feature(base::RandomStream& random, std::size_t drawn);
  std::vector<double> sizes_;
  std::vector<std::uint32_t> order_;
};

}  // namespace macmi::maps
