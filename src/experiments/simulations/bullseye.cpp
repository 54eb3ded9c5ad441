#include "experiments/simulations/bullseye.hpp"

#include <fmt/format.h>

#include <array>
#include <cmath>
#include <numeric>

#include "base/random.hpp"

namespace macmi::experiments {
namespace {

/// Uniform on [1,2] ∪ [3,4].
double ring_radius(base::RandomStream& random) {
  const double u = random.uniform(0, 2);
  return u < 1 ? 1 + u : 2 + u;
}

/// A point uniform on the sphere of the given (signed) radius.
std::array<double, 3> on_sphere(double radius, base::RandomStream& random) {
  std::array<double, 3> direction{};
  double norm = 0;
  while (norm == 0) {
    for (double& c : direction) c = random.normal();
    norm = std::hypot(direction[0], direction[1], direction[2]);
  }
  for (double& c : direction) c *= radius / norm;
  return direction;
}

/// Nodes 1 … 6 are features, 0 is Y; in an order in which parents come first.
struct Node {
  std::size_t id;
  std::vector<std::size_t> parents;
};
constexpr std::size_t y_id = 0;

std::vector<Node> nodes_of(BullseyeGraph graph) {
  if (graph == BullseyeGraph::authors)
    return {{1, {}}, {2, {1}}, {3, {1}}, {4, {3}}, {5, {2, 4}}, {y_id, {3, 5}}, {6, {4, y_id}}};
  return {{1, {}}, {2, {1}}, {3, {2}}, {4, {1}}, {5, {4}}, {y_id, {3, 5}}, {6, {y_id, 1}}};
}

}  // namespace

blanket::Dag bullseye_dag(BullseyeGraph graph) {
  const auto place = [](std::size_t id) { return id == y_id ? std::size_t{6} : id - 1; };
  blanket::Dag dag(7);
  for (const Node& node : nodes_of(graph))
    for (const std::size_t parent : node.parents) dag.add_edge(place(parent), place(node.id));
  return dag;
}

SimulatedTable bullseye2d(std::size_t n, double epsilon, std::uint64_t seed) {
  SimulatedTable table{{"x1_0", "x1_1", "y"},
                       std::vector<std::vector<double>>(3),
                       fmt::format("I(x1_0, x1_1; y) = {:.4f} nats", bullseye2d_information(epsilon))};
  base::RandomStream random(base::StreamKey(seed).with("bullseye2d"));
  for (std::size_t i = 0; i < n; ++i) {
    const double radius = ring_radius(random), angle = random.uniform(0, 2 * M_PI);
    table.columns[0].push_back(radius * std::cos(angle));
    table.columns[1].push_back(radius * std::sin(angle));
    table.columns[2].push_back(radius + random.uniform(-epsilon, epsilon));
  }
  return table;
}

double bullseye2d_information(double epsilon) {
  return epsilon - std::log(epsilon);
}

SimulatedTable bullseye3d(std::size_t n, double epsilon, BullseyeGraph graph, std::uint64_t seed) {
  const std::vector<Node> nodes = nodes_of(graph);
  constexpr std::size_t features = 6;
  SimulatedTable table;
  for (std::size_t f = 1; f <= features; ++f)
    for (int c = 0; c < 3; ++c) table.names.push_back(fmt::format("x{}_{}", f, c));
  table.names.emplace_back("y");
  table.truth = graph == BullseyeGraph::authors ? "the Markov blanket of y is x3, x4, x5, x6"
                                                : "the Markov blanket of y is x1, x3, x5, x6";
  table.columns.resize(table.names.size());
  base::RandomStream random(base::StreamKey(seed).with("bullseye3d").with(static_cast<std::uint64_t>(graph)));
  for (std::size_t i = 0; i < n; ++i) {
    std::array<double, features + 1> magnitude{};
    for (const Node& node : nodes) {
      double radius = 0;
      if (node.parents.empty()) {
        radius = ring_radius(random);
      } else {
        for (const std::size_t parent : node.parents) radius += magnitude[parent];
        radius = radius / static_cast<double>(node.parents.size()) + random.uniform(-epsilon, epsilon);
      }
      magnitude[node.id] = std::abs(radius);
      if (node.id == y_id) {
        magnitude[y_id] = radius;
        table.columns.back().push_back(radius);
        continue;
      }
      const auto point = on_sphere(radius, random);
      for (std::size_t c = 0; c < 3; ++c) table.columns[(node.id - 1) * 3 + c].push_back(point[c]);
    }
  }
  return table;
}

}  // namespace macmi::experiments
