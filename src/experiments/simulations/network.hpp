#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "blanket/d_separation.hpp"
#include "experiments/simulations/simulated_table.hpp"

namespace macmi::experiments {

/// How a variable of a simulated network follows from its parents.
enum class NetworkFamily {
  linear,         ///< a weighted sum and normal noise
  additive,       ///< a sum of curves, one of each parent, and normal noise
  postnonlinear,  ///< the same, then bent as a whole
  mlp,            ///< a random network of one hidden layer over all parents, and normal noise
  interactions,   ///< products of pairs of parents, and normal noise
  mixed,          ///< linear numbers, counts, and classes whose shares follow from the parents
};
inline const std::vector<std::string> network_family_names = {"linear", "additive",     "postnonlinear",
                                                              "mlp",    "interactions", "mixed"};

struct NetworkOptions {
  std::size_t features = 50, samples = 1000;
  NetworkFamily family = NetworkFamily::linear;
  std::uint64_t seed = 0;
};

/// A table whose last column is the target `y`, and the graph behind it.
struct SimulatedNetwork {
  SimulatedTable table;
  blanket::Dag dag{0};               ///< nodes in the order of the table's columns: the target is the last
  std::vector<std::string> blanket;  ///< names, sorted
  std::size_t target() const { return dag.nodes() - 1; }
};

/// A random acyclic graph of features + 1 nodes in which a node has two parents on average (so that the mean degree is
/// near 4) and at most five, and samples of it. The target is a random node with one to four parents and one to four
/// children, where there is one. Every number is brought to mean 0 and deviation 1 before its children use it, and, but
/// in the linear family, to at most 3 deviations.
SimulatedNetwork simulate_network(const NetworkOptions& options);

}  // namespace macmi::experiments
