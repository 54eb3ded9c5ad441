#pragma once
#include <cstdint>
#include <vector>

#include "knn/sample.hpp"

namespace macmi::estimation {

/// Samples in the order of the category of z, then of the first of the other two, then of the second; a block without
/// categories has one. O(n): codes are dense.
std::vector<std::uint32_t> cell_order(std::size_t n, const knn::Block& z, const knn::Block& first,
                                      const knn::Block& second);

/// The plug-in information ⟨ln(n_xyz n_z / (n_xz n_yz))⟩ of samples of categories alone, nats: what k-NN counts give on
/// cells, term by term in the order of the samples and hence to the last bit. Without z, n_z = n. O(n).
double table_information(const knn::JointSample& sample);

}  // namespace macmi::estimation
