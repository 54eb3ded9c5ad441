#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "base/random.hpp"
#include "knn/sample.hpp"

namespace macmi::citest {

/// Local permutations of very many samples, for statistics that sum over all of them: samples in the order of z are cut
/// into blocks of `size` at a random place, and x is exchanged within every block. Like LocalPermutations, a sample
/// gets the x of one of `size` samples near in z, itself included; a draw takes a few nanoseconds a sample and no lists
/// of neighbours. Blocks never span different categories of z. Without numbers in z, all samples of a category are one
/// block.
class BlockPermutations {
 public:
  BlockPermutations(const knn::Block& z, std::size_t n, std::size_t size);

  /// Writes the sample whose x each sample gets. Permutation `index` of the stream is the same whenever it is asked
  /// for.
  void draw(const base::StreamKey& stream, std::uint64_t index, std::span<std::uint32_t> source) const;

 private:
  std::vector<std::uint32_t> order_;  ///< categories apart, samples near in z next to each other
  std::vector<std::size_t> first_;    ///< of each category in `order_`; then their end
  std::size_t size_;                  ///< 0: all of a category
};

}  // namespace macmi::citest
