#pragma once
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "knn/sample.hpp"

namespace macmi::knn {

/// Says if a point exactly at the radius is inside. An open neighbourhood of radius 0 holds the points at distance 0.
enum class Edge { open, closed };

/// For every sample i: the distance r_i to its k-th nearest other sample in (x, y, z), and how many other samples lie
/// within r_i of it in (x, y, z), in (x, z), in (y, z) and in z. Distances are max-norm; k is lowered to the number of
/// other samples that share i's categories; where there is none, k_i and r_i are 0. `xyz` is filled for closed
/// neighbourhoods only: it differs from k just where points tie at the radius.
struct Neighbourhoods {
  std::vector<double> radius;
  std::vector<std::uint32_t> k, xyz, xz, yz, z;
  bool operator==(const Neighbourhoods&) const = default;
};

/// The definition, for reading and for tests. O(n² d).
Neighbourhoods neighbourhoods_brute_force(const JointSample& sample, std::size_t k, Edge edge);

/// The same numbers by k-d trees and vector instructions. With `centres`, some of the samples in increasing order,
/// those of the centres alone: neighbours are all samples, and what stands at other samples is of no meaning.
Neighbourhoods neighbourhoods(const JointSample& sample, std::size_t k, Edge edge, std::size_t threads,
                              std::span<const std::uint32_t> centres = {});

}  // namespace macmi::knn
